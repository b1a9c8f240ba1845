package import Files
import Merchants
import PKI

/// A file below `keys/` that is under a vault key, or should be.
package enum StoredFile: Sendable, Hashable {
    /// A key's PKCS#12.
    case bundle(KeySlot)
    case side(KeySlot)
    /// A `.p12` with a name that no key has, below the home.
    case stranger(_ path: String)
}

extension HomeLayout {
    /// All files that are under a vault key, whether there is a record of them or not.
    ///
    /// - Throws: ``FileError``.
    package func storedFiles() throws(FileError) -> [StoredFile] {
        var files: [StoredFile] = []
        for merchant in try merchantsWithKeys() {
            for kind in CredentialKind.allCases {
                for name in try Folder.names(in: folder(merchant, kind)) {
                    if let file = file(named: name, merchant, kind) { files.append(file) }
                }
            }
        }
        return files
    }

    /// The path below the home, as people know it.
    package func shown(_ file: StoredFile) -> String {
        let whole =
            switch file {
            case .bundle(let slot): bundle(slot)
            case .side(let slot): side(slot)
            case .stranger(let path): path
            }
        return whole.hasPrefix("\(path)/") ? String(whole.dropFirst(path.count + 1)) : whole
    }

    private func file(
        named name: String, _ merchant: MerchantIdentifier, _ kind: CredentialKind
    ) -> StoredFile? {
        // What was left unfinished is removed elsewhere.
        guard let dot = name.lastIndex(of: "."), !name.hasPrefix(".") else { return nil }
        let hash = Hexadecimal.decode(String(name[..<dot])).flatMap { $0.count == 32 ? $0 : nil }
        switch (name[dot...], hash) {
        case (".p12", let hash?):
            return .bundle(KeySlot(merchant: merchant, kind: kind, publicKeyHash: hash))
        case (".json", let hash?):
            return .side(KeySlot(merchant: merchant, kind: kind, publicKeyHash: hash))
        case (".p12", nil): return .stranger("\(folder(merchant, kind))/\(name)")
        default: return nil
        }
    }
}
