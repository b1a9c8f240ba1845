package import Merchants
import PKI

/// A file of a backup: the names that a home has, and no other.
package enum BackupMember: Sendable, Hashable {
    case master
    case settings
    case database
    /// A trust root; the fingerprint is 64 lower-case hex digits.
    case anchor(RealmName, fingerprint: String)
    /// The PKCS#12 file of a key.
    case bundle(KeySlot)
    /// The side file of a key.
    case side(KeySlot)
    /// What the backup holds, under the vault's code; the last file.
    case manifest

    /// The path below the home, with slashes.
    package var path: String {
        switch self {
        case .master: "master.json"
        case .settings: "purser.json5"
        case .database: "purser.db"
        case .manifest: "manifest.json"
        case .anchor(let realm, let fingerprint): "anchors/\(realm)/\(fingerprint).pem"
        case .bundle(let slot): "\(Self.folder(slot))/\(slot.fingerprint).p12"
        case .side(let slot): "\(Self.folder(slot))/\(slot.fingerprint).json"
        }
    }

    /// Recognises a path; nil for every other, be it only spelled differently.
    package init?(_ path: String) {
        guard let found = Self.recognise(path), found.path == path else { return nil }
        self = found
    }

    private static func recognise(_ path: String) -> BackupMember? {
        for member in [BackupMember.master, .settings, .database, .manifest]
        where member.path == path { return member }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard let last = parts.last, let dot = last.lastIndex(of: ".") else { return nil }
        let stem = String(last[..<dot])
        guard let hash = Hexadecimal.decode(lowercase: stem), hash.count == 32 else { return nil }
        switch (parts.count, parts[0], last[dot...]) {
        case (3, "anchors", ".pem"):
            guard let realm = try? RealmName(parts[1]) else { return nil }
            return .anchor(realm, fingerprint: Hexadecimal.lowercase(hash))
        case (4, "keys", ".p12"), (4, "keys", ".json"):
            guard let merchant = try? MerchantIdentifier(parts[1]),
                let kind = CredentialKind(rawValue: parts[2])
            else { return nil }
            let slot = KeySlot(merchant: merchant, kind: kind, publicKeyHash: hash)
            return last.hasSuffix(".p12") ? .bundle(slot) : .side(slot)
        default: return nil
        }
    }

    /// More bytes than any honest file of this sort has.
    package var sizeLimit: Int {
        switch self {
        case .master, .bundle: 1 << 20
        case .settings: 1 << 18
        case .side, .anchor: 1 << 16
        // 100,000 keys with their side files come to some 40 MiB.
        case .manifest: 1 << 26
        case .database: 1 << 40
        }
    }

    /// The folders that must be there for it, below the home.
    package var folders: [String] {
        path.split(separator: "/").dropLast().map(String.init)
    }

    private static func folder(_ slot: KeySlot) -> String {
        "keys/\(slot.merchant)/\(slot.kind.rawValue)"
    }
}
