import Database
import Files
import Issuance
import Ledger
import Secrets
import Settings
import Vault

/// How a verb comes to the home: where it is, as whom, and with which key.
///
/// The order matters when root asks: files that flags name are read first, as root; then the process
/// becomes the home's owner; only then is the home touched.
extension Invocation {
    /// Which home and which settings: flags, environment, defaults; never the working folder.
    var location: HomeLocation {
        var flags: [String: [String]] = [:]
        flags["home"] = global.home.map { [$0] }
        flags["config"] = global.config.map { [$0] }
        return HomeLocation(flags: flags, environment: context.environment)
    }

    /// Where things lie in the home.
    var layout: HomeLayout { HomeLayout(path: context.absolute(location.home)) }

    /// The home for records alone; no key is asked for.
    ///
    /// - Throws: ``VaultError``, ``FileError``, ``DatabaseError``.
    func openHome(_ mode: DatabaseFile.Mode, wayBack: Bool = false) async throws -> OpenHome {
        let actor = LedgerActor.current()
        try enterHome(wayBack: wayBack)
        return try await OpenHome.open(layout, mode: mode, clock: context.clock, actor: actor)
    }

    /// Becomes the home's owner, after the settings that a flag names were read.
    ///
    /// - Throws: ``VaultError``, ``FileError``.
    func enterHome(wayBack: Bool = false) throws {
        try HomeGuard.admit(layout)
        _ = try namedSettings.read()
        try HomeGuard.enter(layout, wayBack: wayBack)
    }

    /// Becomes the owner of the folder that is to become a home, where somebody has prepared one.
    ///
    /// An empty folder keeps its owner; a new one will be the caller's. Which it is, is decided once:
    /// after the step down root's caution would not be asked for. `then` comes before the look at
    /// the folder's mode.
    ///
    /// - Returns: the folder as it was; nil when there is none.
    /// - Throws: ``VaultError``, ``FileError``, what `then` throws.
    func enterPreparedHome(then: () async throws -> Void = {}) async throws -> FileStatus? {
        guard let prepared = try FileStatus.ifPresent(layout.path) else {
            let folder = DurableFile.split(layout.path).folder
            if try FileStatus.ifPresent(folder) == nil { throw FileError.folderNotFound(folder) }
            try HomeGuard.admitFounding(layout)
            return nil
        }
        try HomeGuard.admitPrepared(prepared)
        try enterHome(wayBack: true)
        try HomeGuard.checkStill(prepared)
        try await then()
        try Folder.checkPrivate(layout.path)
        return prepared
    }

    /// The home with its keys.
    ///
    /// `wayBack` is for verbs that write a file of `--out` afterwards; `tellingOfRotation` is false
    /// for those that tell of an unfinished rotation in their own way.
    ///
    /// - Throws: ``VaultError``, ``FileError``, ``DatabaseError``.
    func unlockHome(
        wayBack: Bool = false, tellingOfRotation: Bool = true
    ) async throws -> UnlockedHome {
        let layout = self.layout
        try HomeGuard.admit(layout)
        let named = try await namedUnlocker()
        let home = try await openHome(.readWrite, wayBack: wayBack)
        let given = if let named { named } else { try await storedUnlocker() }
        let secret = if let given { given } else { try await typed() }
        // scrypt takes a third of a second of a core.
        let vault = try await onOwnThread {
            do {
                return try Vault.open(layout, secret: secret)
            } catch VaultError.wrongPassphrase where given == nil {
                // A slip in a recovery key was taken for a passphrase.
                let kinds = try layout.unlockers().map(\.kind)
                throw kinds.contains(.recoveryKey) ? VaultError.wrongTyped : .wrongPassphrase
            }
        }
        try await home.checkGeneration(of: vault)
        let unlocked = UnlockedHome(home: home, vault: vault, secret: secret)
        if tellingOfRotation { warnOfRotation(unlocked) }
        return unlocked
    }
}

extension Invocation {
    /// Tells of a rotation of the vault key that has not finished.
    private func warnOfRotation(_ unlocked: UnlockedHome) {
        guard unlocked.vault.isRotationUnfinished else { return }
        if unlocked.isRotationInterrupted {
            warn(
                "a rotation of the vault key was interrupted",
                hint: "finish it: purser master-key rotate")
        } else {
            warn(
                "a rotation of the vault key is under way",
                hint: "what changes keys waits until it has finished")
        }
    }
}

/// An open home with its vault, and what opened it.
struct UnlockedHome: Sendable {
    let home: OpenHome
    let vault: Vault
    let secret: UnlockSecret

    /// Whether a rotation of the vault key stopped before its end, and nobody is at it.
    var isRotationInterrupted: Bool {
        guard vault.isRotationUnfinished else { return false }
        do throws(FileError) {
            // Whoever is at it holds the lock exclusively.
            return try FileLock.tryTake(vault.layout.keysLock, .shared) != nil
        } catch {
            // On a read-only disk nobody is.
            return true
        }
    }
}
