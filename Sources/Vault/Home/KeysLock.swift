package import Files

extension HomeLayout {
    /// Takes ``keysLock``, waiting for it, but not for ever.
    ///
    /// Who holds it for long tells of its progress (``FileLock/showProgress(_:)``), as a rotation of the
    /// vault key does: then `patience` begins anew each time, up to ten minutes in all.
    ///
    /// Acts that use a vault take the lock by ``Vault/holding(_:within:_:)``, never by this.
    ///
    /// - Throws: ``VaultError/rotationUnderWay`` or ``FileError/locked(_:)`` when it is still held,
    ///   ``FileError``, `CancellationError`.
    package func takeKeysLock(
        _ mode: FileLock.Mode, within patience: Duration = .seconds(30)
    ) async throws -> FileLock {
        let start = ContinuousClock.now
        var deadline = start + patience
        var pause = Duration.milliseconds(1)
        var seen = try FileStatus.ifPresent(keysLock)
        while true {
            if let lock = try FileLock.tryTake(keysLock, mode) { return lock }
            let now = ContinuousClock.now
            let status = try FileStatus.ifPresent(keysLock)
            if let seen, status != seen {
                deadline = min(now + patience, start + max(patience, Self.longestWait))
            }
            seen = status
            guard now < deadline else {
                throw try isRotationUnfinished()
                    ? VaultError.rotationUnderWay : FileError.locked(keysLock)
            }
            try await Task.sleep(for: pause)
            pause = min(pause * 2, .milliseconds(20))
        }
    }

    /// Whether `master.json` holds two vault keys: a rotation is under way, or was interrupted.
    ///
    /// Needs no key and so proves nothing.
    ///
    /// - Throws: ``VaultError`` for a file that is none, ``FileError``.
    package func isRotationUnfinished() throws -> Bool {
        guard let file = try MasterFile.readIfPresent(self) else { return false }
        return file.unlockers.contains { $0.wrapped.count > 1 }
    }

    private static let longestWait = Duration.seconds(600)
}
