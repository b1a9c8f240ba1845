package import Files
package import Merchants
package import PKI
import Secrets

/// What a PKCS#12 file of the vault holds.
package struct KeptKey: Sendable {
    package let key: PrivateKey
    /// The certificate for it, once there is one.
    package let certificate: Certificate?
    /// Intermediates that are sent along.
    package let chain: [Certificate]
}

extension KeySlot {
    /// The lower-case hex of the public key's SHA-256, which names the files.
    package var fingerprint: String { Hexadecimal.lowercase(publicKeyHash) }

    /// The slot in words, for messages.
    package var shown: String { "\(merchant) \(kind.rawValue) \(fingerprint.prefix(8))" }
}

// MARK: - The keys' files

extension Vault {
    /// Makes a key durable, before anything is told to anybody.
    ///
    /// A new key never replaces a file; adding a certificate to a key replaces the file whole. Only
    /// inside ``holding(_:within:_:)``.
    ///
    /// - Throws: ``FileError``, ``PKIError``; after a failure the file before is untouched.
    package func keep(
        _ key: PrivateKey, certificate: Certificate?, chain: [Certificate], in slot: KeySlot,
        replacing: Bool
    ) throws {
        let bundle = try currentKey().bundle(
            KeptKey(key: key, certificate: certificate, chain: chain), for: slot)
        try Folder.makeAll(
            layout.folderParts(slot.merchant, slot.kind), below: layout.path)
        try DurableFile.write(bundle, to: layout.bundle(slot), replacing: replacing)
    }

    /// Opens a key's file and checks that it holds the key that its name says.
    ///
    /// Follows a rotation of the vault keys, also one that is under way.
    ///
    /// - Throws: ``VaultError/keyMissing(_:)``, ``VaultError/keyUnreadable(_:)``,
    ///   ``VaultError/keyMismatch(_:)``, ``FileError`` for a file that others may read, as
    ///   ``follow()``.
    package func key(in slot: KeySlot) throws -> KeptKey {
        let kept = try following { keys in
            guard let bundle = try bundle(in: slot) else {
                throw VaultError.keyMissing(slot.shown)
            }
            return keys.reversed().lazy.compactMap { $0.open(bundle, in: slot) }.first
        }
        guard let kept else { throw VaultError.keyUnreadable(slot.shown) }
        guard kept.key.publicKey.sha256 == slot.publicKeyHash else {
            throw VaultError.keyMismatch(slot.shown)
        }
        return kept
    }

    /// The bytes of a key's file; nil when there is none.
    func bundle(in slot: KeySlot) throws(FileError) -> [UInt8]? {
        try InputFile.readSecretIfPresent(layout.bundle(slot), limit: 1 << 20)?
            .withUnsafeBytes { Array($0) }
    }

    /// Wipes a key's file and removes it; one that is gone already is no error.
    ///
    /// Only for a key whose record says `destroyed`: no other copy is kept here.
    ///
    /// - Throws: ``FileError``; given again, it goes on where it stopped.
    package func destroyKey(in slot: KeySlot) throws(FileError) {
        let folder = layout.folder(slot.merchant, slot.kind)
        guard try FileStatus.ifPresent(folder) != nil else { return }
        try DurableFile.wipe(layout.bundle(slot))
    }

    /// Whether a key's file is there; says nothing of its contents.
    package func holdsKey(in slot: KeySlot) -> Bool {
        (try? FileStatus(layout.bundle(slot)))?.isFile == true
    }
}

extension VaultKey {
    /// A PKCS#12 file with `kept` for its slot.
    func bundle(_ kept: KeptKey, for slot: KeySlot) throws(PKIError) -> [UInt8] {
        try PKCS12.make(
            key: kept.key, certificate: kept.certificate, chain: kept.chain,
            friendlyName: "\(slot.merchant) \(slot.kind.rawValue)", password: password(for: slot))
    }

    /// What the file of a slot holds; nil where it does not open under this vault key.
    func open(_ bundle: [UInt8], in slot: KeySlot) -> KeptKey? {
        guard let opened = try? PKCS12.open(bundle, password: password(for: slot)),
            let key = opened.key
        else { return nil }
        return KeptKey(key: key, certificate: opened.certificate, chain: opened.chain)
    }
}

// MARK: - What a crash may leave

extension HomeLayout {
    /// The slots of all key files of a merchant, from their names alone; needs no key.
    ///
    /// `withSideFilesAlone` adds those of which only the side file is left: destroyed keys.
    ///
    /// - Throws: ``FileError``.
    package func slots(
        of merchant: MerchantIdentifier, withSideFilesAlone: Bool = false
    ) throws(FileError) -> [KeySlot] {
        var slots: [KeySlot] = []
        for kind in CredentialKind.allCases {
            var seen: Set<[UInt8]> = []
            for name in try Folder.names(in: folder(merchant, kind)) {
                guard let dot = name.lastIndex(of: "."),
                    name[dot...] == ".p12" || (withSideFilesAlone && name[dot...] == ".json"),
                    let hash = Hexadecimal.decode(lowercase: name[..<dot]), hash.count == 32,
                    // A file is found again by its name alone, which is in lower case.
                    Hexadecimal.lowercase(hash) == name[..<dot],
                    seen.insert(hash).inserted
                else { continue }
                slots.append(KeySlot(merchant: merchant, kind: kind, publicKeyHash: hash))
            }
        }
        return slots
    }

    /// The merchants that have a folder of keys.
    ///
    /// - Throws: ``FileError``.
    package func merchantsWithKeys() throws(FileError) -> [MerchantIdentifier] {
        try Folder.names(in: keys).filter { Folder.isFolder("\(keys)/\($0)") }
            .compactMap { try? MerchantIdentifier($0) }
    }

    /// Whether there is any key file, whatever else is missing.
    ///
    /// - Throws: ``FileError``.
    package func holdsKeys() throws(FileError) -> Bool {
        for merchant in try merchantsWithKeys() where try !slots(of: merchant).isEmpty {
            return true
        }
        return false
    }

    /// Removes files of a merchant, of the anchors and of the home itself that a crash left
    /// unfinished; only under the exclusive ``keysLock``.
    ///
    /// - Throws: ``FileError``.
    package func removeUnfinished(of merchant: MerchantIdentifier) throws(FileError) {
        for kind in CredentialKind.allCases {
            try removeUnfinished(in: folder(merchant, kind))
        }
        try removeUnfinishedMaster()
        for realm in try Folder.names(in: anchors) {
            let folder = "\(anchors)/\(realm)"
            if try FileStatus.ifPresent(folder)?.isFolder == true {
                try removeUnfinished(in: folder)
            }
        }
    }

    /// Removes what a crash left of a new `master.json`; only under the exclusive ``keysLock``.
    ///
    /// - Throws: ``FileError``.
    package func removeUnfinishedMaster() throws(FileError) {
        try removeUnfinished(in: path)
    }

    /// Removes what a crash left unfinished while the home was made; only under the exclusive
    /// ``keysLock``, and before the database is opened.
    ///
    /// - Throws: ``FileError``.
    package func removeUnfinishedFounding() throws(FileError) {
        // The second is a name that a new database has for a moment beside its own.
        try removeUnfinished(in: path)
        try removeUnfinished(in: path, beginningWith: "purser.db.new-")
    }

    private func removeUnfinished(
        in folder: String, beginningWith prefix: String = DurableFile.temporaryPrefix
    ) throws(FileError) {
        for name in try Folder.names(in: folder) where name.hasPrefix(prefix) {
            let path = "\(folder)/\(name)"
            // A folder is none of ours, whatever its name.
            if try FileStatus.ifPresent(path)?.isFolder == true { continue }
            try DurableFile.remove(path)
        }
    }
}
