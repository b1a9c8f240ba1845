package import Clocks
import Files
import PKI

/// What can be told of an unlocker without a key.
package struct UnlockerRecord: Sendable, Hashable {
    /// 16 lower-case hex digits.
    package let id: String
    package let kind: UnlockerKind
    package let createdAt: Timestamp
}

extension HomeLayout {
    /// The unlockers that `master.json` names, in their order; needs no key, and so proves nothing.
    ///
    /// - Throws: ``VaultError``, ``FileError``.
    package func unlockers() throws -> [UnlockerRecord] {
        try MasterFile.read(self).unlockers.map(\.record)
    }
}

/// A change of the unlockers that is ready to be written, and is nothing before.
package struct UnlockerChange: Sendable {
    package let unlocker: UnlockerRecord
    let file: MasterFile
}

/// Changing who opens the home; only inside ``holding(_:within:_:)``, exclusively.
///
/// No key is touched. While a rotation is unfinished nothing is changed: who is added or removed in
/// the middle of it would know another vault key than people think.
extension Vault {
    /// Adds an unlocker; see ``put(_:)``.
    ///
    /// - Throws: ``VaultError/unlockerExists(_:)`` for a secret that opens the home already,
    ///   ``VaultError/tooManyUnlockers(_:)``, ``VaultError/rotationUnfinished``, as ``follow()``.
    package func adding(_ secret: UnlockSecret, at now: Timestamp) throws -> UnlockerChange {
        var (file, master) = try settledFile()
        for unlocker in file.unlockers where unlocker.kind == secret.kind {
            if try unlocker.isOpened(by: unlocker.privateKey(from: secret)) {
                throw VaultError.unlockerExists(unlocker.id)
            }
        }
        try file.checkRoom()
        let new = try MasterFile.Unlocker(secret: secret, homeKey: master.homeKey, at: now)
        file.unlockers.append(new)
        do throws(VaultError) {
            try file.checkPrice()
        } catch {
            let count = file.unlockers.count { $0.kind == .passphrase } - 1
            throw VaultError.tooManyUnlockers("\(count) passphrases")
        }
        try file.seal(master.keys, homeKey: master.homeKey)
        return UnlockerChange(unlocker: new.record, file: file)
    }

    /// Refuses what ``adding(_:at:)`` would refuse whatever the secret, as long as nothing changes.
    ///
    /// - Throws: ``VaultError/tooManyUnlockers(_:)``, ``VaultError/rotationUnfinished``, as
    ///   ``follow()``.
    package func checkRoomForUnlocker() throws {
        let (file, _) = try settledFile()
        try file.checkRoom()
    }

    /// Removes an unlocker, but not the one that opened this vault; see ``put(_:)``.
    ///
    /// So there is always one left, and it is one that somebody has at hand.
    ///
    /// - Throws: ``VaultError/unlockerUnknown(_:)``, ``VaultError/lastUnlocker(_:)``,
    ///   ``VaultError/unlockerInUse(_:)``, ``VaultError/rotationUnfinished``, as ``follow()``.
    package func removing(_ id: String) throws -> UnlockerChange {
        var (file, master) = try settledFile()
        guard let index = file.unlockers.firstIndex(where: { $0.id == id }) else {
            throw VaultError.unlockerUnknown(id)
        }
        guard file.unlockers.count > 1 else { throw VaultError.lastUnlocker(id) }
        guard id != master.unlocker else { throw VaultError.unlockerInUse(id) }
        let old = file.unlockers.remove(at: index)
        try file.seal(master.keys, homeKey: master.homeKey)
        return UnlockerChange(unlocker: old.record, file: file)
    }

    /// Puts a change into force.
    ///
    /// - Throws: ``FileError``; then `master.json` is as it was.
    package func put(_ change: UnlockerChange) throws {
        try put(change.file)
    }

    /// Leaves this vault's own unlocker alone, with `recoveryKey` where one is wanted.
    ///
    /// For a home whose making was interrupted: nobody has seen the recovery key that was made then.
    ///
    /// - Throws: as ``follow()``, ``FileError``.
    package func beginAgain(recoveryKey: RecoveryKey?, at now: Timestamp) throws {
        var (file, master) = try openFile()
        guard file.unlockers.count > 1 || recoveryKey != nil else { return }
        file.unlockers.removeAll { $0.id != master.unlocker }
        if let recoveryKey {
            file.unlockers.append(
                try MasterFile.Unlocker(
                    secret: recoveryKey.secret, homeKey: master.homeKey, at: now))
        }
        try file.seal(master.keys, homeKey: master.homeKey)
        try put(file)
    }

    private func settledFile() throws -> (MasterFile, OpenMaster) {
        let (file, master) = try openFile()
        guard master.keys.count == 1 else { throw VaultError.rotationUnfinished }
        return (file, master)
    }

    /// The file as it is now, proved to be genuine.
    func openFile() throws -> (MasterFile, OpenMaster) {
        try follow()
        let file = try MasterFile.read(layout)
        return (file, try reopened(file))
    }

    /// Replaces `master.json`, and uses the vault keys that stand in the new one.
    func put(_ file: MasterFile) throws {
        try DurableFile.write(file.encoded(), to: layout.master, replacing: true)
        try follow()
    }
}

extension MasterFile {
    fileprivate func checkRoom() throws(VaultError) {
        guard unlockers.count < Self.unlockerLimit else {
            throw .tooManyUnlockers("\(Self.unlockerLimit) unlockers")
        }
    }
}

extension MasterFile.Unlocker {
    fileprivate var record: UnlockerRecord {
        UnlockerRecord(id: id, kind: kind, createdAt: createdAt)
    }
}
