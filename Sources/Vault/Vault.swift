package import Clocks
package import Files
import Locks
import PKI
import Secrets

/// An unlocked home's keys.
///
/// It holds the vault keys (at most two: a rotation is under way) and nothing of the database. What
/// is read follows a rotation by itself; what is written is written inside
/// ``holding(_:within:_:)``, so that it is never under a vault key that is gone.
package final class Vault: Sendable {
    package let layout: HomeLayout
    /// Kept, so that a rotation can be followed.
    private let secret: UnlockSecret
    private let state: Locked<State>

    private struct State: Sendable {
        var master: OpenMaster
        /// What `master.json` was when it was read.
        var status: FileStatus?
        /// Grows with each reading that was put to use.
        var reading = 0
    }

    private init(layout: HomeLayout, secret: UnlockSecret, master: OpenMaster, status: FileStatus?)
    {
        self.layout = layout
        self.secret = secret
        state = Locked(State(master: master, status: status))
    }

    /// Makes `master.json` with a fresh vault key under `secret`, and a recovery key where one is
    /// wanted.
    ///
    /// - Throws: ``FileError/exists(_:)`` when there is one; nothing is replaced.
    package static func create(
        _ layout: HomeLayout, secret: UnlockSecret, recoveryKey: RecoveryKey? = nil,
        at now: Timestamp
    ) throws -> Vault {
        let file = try MasterFile.fresh(
            unlockedBy: [secret] + (recoveryKey.map { [$0.secret] } ?? []), at: now)
        try DurableFile.write(file.encoded(), to: layout.master, replacing: false)
        return try open(layout, secret: secret)
    }

    /// Opens `master.json` with what was offered.
    ///
    /// - Throws: ``VaultError/wrongKeyFile``, ``VaultError/wrongPassphrase``,
    ///   ``VaultError/wrongRecoveryKey``, ``VaultError/noSuchUnlocker(_:)``,
    ///   ``VaultError/masterMissing(_:)``, ``VaultError/masterDamaged(_:)``,
    ///   ``VaultError/masterNewer(_:)``, ``VaultError/masterOlder(_:)``,
    ///   ``VaultError/masterTooCostly(_:)``, ``FileError``.
    package static func open(_ layout: HomeLayout, secret: UnlockSecret) throws -> Vault {
        let status = try FileStatus.ifPresent(layout.master)
        let master = try MasterFile.read(layout).open(with: secret)
        return Vault(layout: layout, secret: secret, master: master, status: status)
    }

    /// The unlocker that opened it.
    package var unlocker: String { master.unlocker }

    /// Newest last; new files are written under the last.
    var keys: [VaultKey] { master.keys }

    /// The vault key that new files are written under.
    func currentKey() throws -> VaultKey {
        guard let key = keys.last else { throw VaultError.masterDamaged("it holds no vault key") }
        return key
    }

    var master: OpenMaster { state.withLock { $0.master } }
}

// MARK: - Following a rotation

extension Vault {
    /// Runs `body` while no other process changes the vault keys (or, exclusively, anything below
    /// `keys/`), with the vault keys that are in force now.
    ///
    /// Every act that writes a key or a side file is done inside, or a rotation in between would
    /// leave it under a vault key that is gone. Shared holds may lie in one another.
    ///
    /// - Throws: ``VaultError/rotationUnderWay``, ``FileError/locked(_:)`` after `patience` without
    ///   progress of whoever holds it; as ``follow()``; what `body` throws.
    package func holding<Result>(
        _ mode: FileLock.Mode, within patience: Duration = .seconds(30),
        _ body: () async throws -> Result
    ) async throws -> Result {
        let lock = try await layout.takeKeysLock(mode, within: patience)
        return try await holding(lock, body)
    }

    /// The same, if nobody keeps us from it at this moment; nil otherwise, and nothing was done.
    ///
    /// - Throws: as ``holding(_:within:_:)``.
    package func holdingIfFree<Result>(
        _ mode: FileLock.Mode, _ body: () async throws -> Result
    ) async throws -> Result? {
        guard let lock = try FileLock.tryTake(layout.keysLock, mode) else { return nil }
        return try await holding(lock, body)
    }

    private func holding<Result>(
        _ lock: FileLock, _ body: () async throws -> Result
    ) async throws -> Result {
        defer { withExtendedLifetime(lock) {} }
        try follow()
        return try await body()
    }

    /// Reads `master.json` again if it is another file than the one that was read.
    ///
    /// A passphrase is not stretched again while its unlocker is the same.
    ///
    /// - Throws: as ``open(_:secret:)``; then the vault keys stay as they were.
    package func follow() throws {
        while true {
            let seen = state.withLock { $0 }
            let status = try FileStatus.ifPresent(layout.master)
            if status == seen.status { return }
            let master = try MasterFile.read(layout).open(with: secret, knowing: seen.master)
            let isTaken = state.withLock { state in
                // Who was slower than another thread may have read an older file.
                guard state.reading == seen.reading else { return false }
                state = State(master: master, status: status, reading: seen.reading + 1)
                return true
            }
            if isTaken { return }
        }
    }

    /// What the unlocker of this vault gets out of another `master.json`.
    func reopened(_ file: MasterFile) throws -> OpenMaster {
        try file.open(with: secret, knowing: master)
    }

    /// What `attempt` makes of the vault keys, tried again as long as those turn out to be others by
    /// now; nil when it cannot be done with those in force.
    ///
    /// - Throws: as ``follow()``; what `attempt` throws.
    func following<Result>(_ attempt: ([VaultKey]) throws -> Result?) throws -> Result? {
        while true {
            let seen = state.withLock { $0 }
            if let result = try attempt(seen.master.keys) { return result }
            try follow()
            if state.withLock({ $0.reading }) == seen.reading { return nil }
        }
    }
}
