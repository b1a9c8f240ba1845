package import Files
import Merchants
import PKI

/// A file below `keys/` that is under a vault key, or should be.
package enum StoredFile: Sendable, Hashable {
    /// A key's PKCS#12.
    case bundle(KeySlot)
    case side(KeySlot)
    /// What has a name that no file of a key has, by its path; it may be one that was renamed.
    case stranger(_ path: String)
}

extension HomeLayout {
    /// Everything below `keys/`: what is under a vault key, whether there is a record of it or not,
    /// and what has no business there.
    ///
    /// The side file of a key comes before its key, so that of a rotation that stopped no key is under
    /// a newer vault key than its side file tells.
    ///
    /// - Throws: ``FileError``.
    package func storedFiles() throws(FileError) -> [StoredFile] {
        var files: [StoredFile] = []
        for name in try Folder.names(in: keys) where "\(keys)/\(name)" != keysLock {
            let path = "\(keys)/\(name)"
            guard let merchant = try? MerchantIdentifier(name), Folder.isFolder(path) else {
                if !isUnfinished(path) { files.append(.stranger(path)) }
                continue
            }
            files += try storedFiles(of: merchant, in: path)
        }
        return files
    }

    private func storedFiles(
        of merchant: MerchantIdentifier, in path: String
    ) throws(FileError) -> [StoredFile] {
        var files: [StoredFile] = []
        for name in try Folder.names(in: path) {
            let folder = "\(path)/\(name)"
            guard let kind = CredentialKind(rawValue: name), Folder.isFolder(folder) else {
                if !isUnfinished(folder) { files.append(.stranger(folder)) }
                continue
            }
            for name in try Folder.names(in: folder) {
                let path = "\(folder)/\(name)"
                if let slot = slot(named: name, merchant, kind) {
                    files.append(name.hasSuffix(".p12") ? .bundle(slot) : .side(slot))
                } else if !isUnfinished(path) {
                    files.append(.stranger(path))
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
        return shown(whole)
    }

    /// A path in the home as people know it: below the home.
    package func shown(_ whole: String) -> String {
        whole.hasPrefix("\(path)/") ? String(whole.dropFirst(path.count + 1)) : whole
    }

    /// The slot of a `.p12` or `.json`; nil for any other name.
    ///
    /// A file is found again by its name alone, which is in lower case.
    private func slot(
        named name: String, _ merchant: MerchantIdentifier, _ kind: CredentialKind
    ) -> KeySlot? {
        guard let dot = name.lastIndex(of: "."), [".p12", ".json"].contains(name[dot...]),
            let hash = Hexadecimal.decode(lowercase: String(name[..<dot])), hash.count == 32,
            Hexadecimal.lowercase(hash) == name[..<dot]
        else { return nil }
        return KeySlot(merchant: merchant, kind: kind, publicKeyHash: hash)
    }

    /// What a command that died has left, and the next removes.
    private func isUnfinished(_ path: String) -> Bool {
        DurableFile.split(path).name.hasPrefix(DurableFile.temporaryPrefix)
            && !Folder.isFolder(path)
    }
}
