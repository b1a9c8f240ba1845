import Files
import Locks
import TestSupport
import Testing

@testable import Vault

@Suite struct KeysLockTests {
    private let fixture: VaultFixture

    init() throws {
        fixture = try VaultFixture()
    }

    @Test func `who waits too long is told who holds the lock`() async throws {
        let layout = fixture.layout
        let held = try FileLock.take(layout.keysLock, .exclusive)
        await #expect(throws: FileError.locked(layout.keysLock)) {
            try await fixture.vault.holding(.shared, within: .milliseconds(30)) {}
        }
        #expect(try await fixture.vault.holdingIfFree(.shared) { 1 } == nil)
        _ = try fixture.vault.beginRotation()
        await #expect(throws: VaultError.rotationUnderWay) {
            try await fixture.vault.holding(.shared, within: .milliseconds(30)) {}
        }
        withExtendedLifetime(held) {}
    }

    @Test func `who waits for somebody that gets on waits longer`() async throws {
        let layout = fixture.layout
        let held = Locked<FileLock?>(try FileLock.take(layout.keysLock, .exclusive))
        let working = Task {
            for _ in 0..<10 {
                try await Task.sleep(for: .milliseconds(100))
                FileLock.showProgress(layout.keysLock)
            }
            held.withLock { $0 = nil }
        }
        // Three times its patience, at least.
        let lock = try await layout.takeKeysLock(.shared, within: .milliseconds(300))
        withExtendedLifetime(lock) {}
        try await working.value
    }
}
