package import Clocks
import Database
package import Files
package import Ledger
import Merchants
import PKI
import Registry
package import Vault

/// A home that was made from a backup.
package struct RestoredHome: Sendable {
    /// When the backup was made.
    package let createdAt: Timestamp
    /// Key files that are in it.
    package let keys: Int
    /// Keys, by their paths, of which the backup has no sound copy.
    package let faulty: [String]
    /// What is wrong with its records, which were so when they were copied; nil where nothing is.
    package let damage: String?
    /// Whether settings were there already and were left as they are.
    package let keptSettings: Bool
}

/// Making a home from a backup.
///
/// Everything is unpacked into a folder inside the home (`.restoring`), verified there as a home of
/// its own, and only then moved up, the database last: until that moment no command takes the home
/// for one. Once verified the folder is called `.restored`, and whoever runs `restore` again after a
/// crash goes on from there; before, it starts afresh.
extension OpenHome {
    /// Makes a home from a backup in an absent or empty folder.
    ///
    /// `prepared` is the folder that somebody has made for it, as it was before the step down to its
    /// owner. Settings that lie there already are kept. What the database says of the keys, each
    /// key, each side file and the ledger are verified before anything is moved into place.
    ///
    /// - Throws: ``VaultError`` (``VaultError/backupDamaged(_:)``, ``VaultError/homeExists(_:)``,
    ///   ``VaultError/homeNotEmpty(_:found:)``, ``VaultError/otherRestore(_:)``, those of opening a
    ///   vault), ``FileError``, ``DatabaseError``, ``LedgerError``.
    package static func restore(
        _ source: SequentialFile, to layout: HomeLayout, prepared: FileStatus?,
        secret: UnlockSecret, acceptingDamage: Bool = false, clock: any WallClock,
        actor: LedgerActor
    ) async throws -> RestoredHome {
        try makeFolder(layout, prepared: prepared)
        // Before anything is made in a folder that is not for us.
        if try FileStatus.ifPresent(layout.database) == nil,
            try FileStatus.ifPresent(layout.restored.path) == nil
        {
            try refuseStrangers(layout)
        }
        try Folder.makeAll(["keys"], below: layout.path)
        let lock = try await layout.takeKeysLock(.exclusive)
        defer { withExtendedLifetime(lock) {} }
        guard try FileStatus.ifPresent(layout.database) == nil else {
            throw VaultError.homeExists(layout.path)
        }
        let manifest: BackupManifest
        if try FileStatus.ifPresent(layout.restored.path) != nil {
            manifest = try interrupted(layout, source, secret: secret)
        } else {
            manifest = try await unpack(
                source, in: layout, secret: secret, acceptingDamage: acceptingDamage,
                clock: clock, actor: actor)
        }
        let keptSettings = try moveUp(layout)
        return RestoredHome(
            createdAt: manifest.createdAt,
            keys: manifest.files.filter { $0.path.hasSuffix(".p12") }.count,
            faulty: manifest.faulty, damage: manifest.damage, keptSettings: keptSettings)
    }

    // MARK: - Unpacking and verifying

    private static func unpack(
        _ source: SequentialFile, in layout: HomeLayout, secret: UnlockSecret,
        acceptingDamage: Bool, clock: any WallClock, actor: LedgerActor
    ) async throws -> BackupManifest {
        try refuseStrangers(layout)
        let stage = layout.restoring
        try Folder.removeTree(stage.path)
        try Folder.make(stage.path)
        try Folder.makeAll(["keys"], below: stage.path)
        try Folder.makeAll(["anchors"], below: stage.path)
        let manifest: BackupManifest
        do {
            let unpacked = try BackupExtraction(unpacking: source, into: stage)
            let vault = try open(stage, unpacked, secret: secret)
            manifest = try vault.manifest(unpacked.manifest)
            if let damage = manifest.damage, !acceptingDamage {
                throw VaultError.backupOfDamage(damage)
            }
            guard manifest.files == unpacked.files else {
                throw VaultError.backupDamaged("its files are not those of its manifest")
            }
            try await verify(stage, manifest, vault: vault, clock: clock, actor: actor)
            try DurableFile.write(
                unpacked.manifest, to: manifestPath(stage), replacing: false)
        } catch {
            // The home is as it was: the reason counts, and not what cleaning up meets.
            try? Folder.removeTree(stage.path)
            throw error
        }
        try Folder.move(stage.path, to: layout.restored.path)
        return manifest
    }

    /// Opens what was unpacked; whatever is wrong with it is the backup's fault, and not a home's.
    private static func open(
        _ stage: HomeLayout, _ unpacked: BackupExtraction, secret: UnlockSecret
    ) throws -> Vault {
        for member in [BackupMember.master, .database]
        where !unpacked.files.contains(where: { $0.path == member.path }) {
            throw VaultError.backupDamaged("it has no \(member.path)")
        }
        do {
            return try Vault.open(stage, secret: secret)
        } catch VaultError.masterDamaged(let what) {
            throw VaultError.backupDamaged("its master.json: \(what)")
        }
    }

    /// Verifies what was unpacked as a home, and records there that it was restored.
    private static func verify(
        _ stage: HomeLayout, _ manifest: BackupManifest, vault: Vault, clock: any WallClock,
        actor: LedgerActor
    ) async throws {
        let home = try await OpenHome.open(stage, mode: .readWrite, clock: clock, actor: actor)
        if manifest.damage == nil, let damage = await damage(of: home.database) {
            throw VaultError.backupDamaged("its database: \(damage)")
        }
        let head = try await home.database.read { try Ledger.head(in: $0) }
        guard head.sequence == manifest.ledger.sequence,
            Hexadecimal.lowercase(head.hash) == manifest.ledger.hash
        else { throw VaultError.backupDamaged("its ledger ends elsewhere than its manifest says") }
        let verified = try await home.verifyKeys(vault: vault, except: Set(manifest.faulty))
        let entry = home.entry(
            .homeRestored, "home",
            [
                "backupOf": manifest.createdAt.description,
                "ledgerThen": String(manifest.ledger.sequence),
            ])
        try await home.database.write { transaction in
            // Their side files say what the records say, whatever was due when they were copied.
            for id in verified {
                try Credentials.setSideFileDue(false, of: id, in: transaction)
            }
            try Ledger.append(entry, in: transaction)
        }
        // The log moves into the database, which alone is moved up.
        await home.database.close()
    }

    /// Opens every key that the records name, and reads every side file.
    ///
    /// - Returns: the credentials whose side files say what their records say.
    private func verifyKeys(
        vault: Vault, except faulty: Set<String>
    ) async throws -> [CredentialIdentifier] {
        var verified: [CredentialIdentifier] = []
        for merchant in try await database.read({ try MerchantRecords.identifiers(in: $0) }) {
            let credentials: [Credential]
            do {
                credentials = try await database.read {
                    try Credentials.list(merchant: merchant, in: $0)
                }
            } catch let error where Credentials.isDamage(error) {
                // It was so in the home that was backed up.
                continue
            }
            for credential in credentials where credential.custody == .local {
                let slot = KeySlot(credential)
                let path = BackupMember.bundle(slot).path
                if credential.state != .destroyed, !faulty.contains(path) {
                    _ = try vault.key(in: slot)
                }
                guard try vault.side(in: slot) == SideFile(credential) else {
                    throw VaultError.backupDamaged("a side file differs from the database")
                }
                verified.append(credential.id)
            }
        }
        return verified
    }

    // MARK: - Moving into place

    /// The manifest of a restore that was verified and did not finish, if this backup is the same.
    private static func interrupted(
        _ layout: HomeLayout, _ source: SequentialFile, secret: UnlockSecret
    ) throws -> BackupManifest {
        let spoiled = VaultError.restoreSpoiled(layout.path)
        guard
            let kept = try InputFile.readIfPresent(
                manifestPath(layout.restored), limit: BackupMember.manifest.sizeLimit)
        else { throw spoiled }
        guard try BackupExtraction.manifest(of: source) == kept else {
            throw VaultError.otherRestore(layout.path)
        }
        // Its master.json may have moved up already.
        let place =
            try FileStatus.ifPresent(layout.restored.master) == nil ? layout : layout.restored
        guard let manifest = try? Vault.open(place, secret: secret).manifest(kept) else {
            throw spoiled
        }
        for file in manifest.files where try !isInPlace(file, layout) { throw spoiled }
        return manifest
    }

    /// Whether a file is as it was verified, in the one place or the other.
    private static func isInPlace(
        _ file: BackupManifest.File, _ layout: HomeLayout
    ) throws -> Bool {
        guard let member = BackupMember(file.path) else { return false }
        let places = [layout.restored.path, layout.path].map { "\($0)/\(file.path)" }
        for place in places where try FileStatus.ifPresent(place) != nil {
            // The restore itself is on record in the database; of settings ours may be another's.
            if member == .database || member == .settings { return true }
            let bytes = try InputFile.read(place, limit: member.sizeLimit)
            return Hexadecimal.lowercase(SHA256.hash(bytes)) == file.sha256
        }
        return false
    }

    /// Moves up what is left in `.restored`, the database last, and removes the folder.
    ///
    /// - Returns: whether settings were there already.
    private static func moveUp(_ layout: HomeLayout) throws -> Bool {
        let stage = layout.restored
        for folder in ["keys", "anchors"] {
            try Folder.makeAll([folder], below: layout.path)
            for name in try Folder.names(in: "\(stage.path)/\(folder)") where name != ".lock" {
                try Folder.move(
                    "\(stage.path)/\(folder)/\(name)", to: "\(layout.path)/\(folder)/\(name)")
            }
        }
        if try FileStatus.ifPresent(stage.master) != nil {
            try Folder.move(stage.master, to: layout.master)
        }
        let hasSettings = try FileStatus.ifPresent(layout.settings) != nil
        var keptSettings = false
        if try FileStatus.ifPresent(stage.settings) != nil {
            keptSettings = hasSettings
            if !hasSettings { try Folder.move(stage.settings, to: layout.settings) }
        }
        if try FileStatus.ifPresent(stage.database) != nil {
            try Folder.move(stage.database, to: layout.database)
        }
        guard try FileStatus.ifPresent(layout.database) != nil else {
            throw VaultError.restoreSpoiled(layout.path)
        }
        try Folder.removeTree(stage.path)
        return keptSettings
    }

    /// Refuses a folder with anything in it but what `restore` makes and settings.
    private static func refuseStrangers(_ layout: HomeLayout) throws {
        let ours = [
            "keys", "anchors", "lost+found", ".restoring", "purser.json5", "watch.lock",
            ".renew.lock",
        ]
        for name in try Folder.names(in: layout.path) where !ours.contains(name) {
            throw VaultError.homeNotEmpty(layout.path, found: name)
        }
        // An init that died, or was refused, has left these two empty.
        for folder in ["keys", "anchors"] {
            for name in try Folder.names(in: "\(layout.path)/\(folder)") where name != ".lock" {
                throw VaultError.homeNotEmpty(layout.path, found: "\(folder)/\(name)")
            }
        }
    }

    private static func manifestPath(_ stage: HomeLayout) -> String {
        "\(stage.path)/\(BackupMember.manifest.path)"
    }
}
