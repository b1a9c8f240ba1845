import Files
package import Merchants

/// Where things lie in a home; see Keystore/README.md for the whole picture.
package struct HomeLayout: Sendable, Hashable {
    /// The home's absolute path, without a slash at its end.
    package let path: String

    package init(path: String) {
        self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    package var settings: String { "\(path)/purser.json5" }
    package var database: String { "\(path)/purser.db" }
    /// SQLite's write-ahead log, which holds commits that are not in the database's own file yet.
    package var log: String { "\(database)-wal" }
    /// The index of the log, shared by all who have the database open.
    package var logIndex: String { "\(database)-shm" }
    /// SQLite's rollback journal, which a database with a write-ahead log never has: SQLite would
    /// undo the database by it, whoever wrote it.
    package var journal: String { "\(database)-journal" }
    package var master: String { "\(path)/master.json" }
    package var keys: String { "\(path)/keys" }
    package var anchors: String { "\(path)/anchors" }
    /// Held shared while a key is on its way from its file into the database or another file gets
    /// its name, and exclusively by who looks for keys that never arrived there and removes files
    /// that never got theirs.
    package var keysLock: String { "\(path)/keys/.lock" }

    /// Held by the watch while it looks and tells, so that no two tell the same.
    package var watchLock: String { "\(path)/watch.lock" }
    /// Held by `purser renew --commit`, so that of two, begun by hand and by the schedule, one waits.
    package var renewLock: String { "\(path)/.renew.lock" }

    /// Where a backup is unpacked, itself laid out as a home; not yet believed.
    package var restoring: HomeLayout { HomeLayout(path: "\(path)/.restoring") }
    /// The same folder once all in it is verified; what is in it moves up from there.
    package var restored: HomeLayout { HomeLayout(path: "\(path)/.restored") }
    /// A name for a copy of the database that is needed for a moment.
    package func unfinishedCopy() -> String {
        let random = String(UInt64.random(in: .min ... .max), radix: 16)
        return "\(path)/\(DurableFile.temporaryPrefix)\(random).db"
    }

    /// The parts below the home of the folder that holds a merchant's keys of one kind.
    func folderParts(_ merchant: MerchantIdentifier, _ kind: CredentialKind) -> [String] {
        ["keys", merchant.text, kind.rawValue]
    }

    package func folder(_ merchant: MerchantIdentifier, _ kind: CredentialKind) -> String {
        "\(path)/\(folderParts(merchant, kind).joined(separator: "/"))"
    }

    /// The PKCS#12 file of a key.
    package func bundle(_ slot: KeySlot) -> String {
        "\(folder(slot.merchant, slot.kind))/\(slot.fingerprint).p12"
    }

    /// The side file of a key.
    package func side(_ slot: KeySlot) -> String {
        "\(folder(slot.merchant, slot.kind))/\(slot.fingerprint).json"
    }
}

/// The place of one key: whose it is, what for, and which.
package struct KeySlot: Sendable, Hashable {
    package let merchant: MerchantIdentifier
    package let kind: CredentialKind
    /// SHA-256 of the DER SubjectPublicKeyInfo.
    package let publicKeyHash: [UInt8]

    package init(merchant: MerchantIdentifier, kind: CredentialKind, publicKeyHash: [UInt8]) {
        self.merchant = merchant
        self.kind = kind
        self.publicKeyHash = publicKeyHash
    }

    /// The place of the key of `credential`.
    package init(_ credential: Credential) {
        self.init(
            merchant: credential.merchant, kind: credential.kind,
            publicKeyHash: credential.publicKeyHash)
    }
}
