import Database
package import Issuance
import Ledger
import Locks
package import Merchants
package import Sessions
package import Vault

/// The home as HTTP callers act on it: on a thread of its own, in the name of their tokens.
///
/// Making a key and opening one block, so none of it happens on the loops that answer requests. Acts
/// are the command line's, with the same ledger entries.
package actor HomeDesk {
    private let home: OpenHome
    private let vault: Vault
    nonisolated let desk: SessionDesk
    /// How long the parts of a rotation wait here.
    nonisolated let periods: RotationPeriods
    private let changed: @Sendable () async -> Void
    private let executor = ThreadExecutor(name: "home")

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// `changed` is awaited after each act, so that what it has changed is in force when the caller
    /// is answered.
    package init(
        home: OpenHome, vault: Vault, desk: SessionDesk, periods: RotationPeriods,
        changed: @escaping @Sendable () async -> Void = {}
    ) {
        self.home = home
        self.vault = vault
        self.desk = desk
        self.periods = periods
        self.changed = changed
    }

    /// Does something to the home in the name of `token`.
    ///
    /// The caller may go away meanwhile: an act that has begun is not given up half done.
    ///
    /// - Throws: what `act` throws; ``VaultError`` where the vault cannot be followed.
    func act<Result: Sendable>(
        as token: TokenIdentifier,
        _ act: @escaping @Sendable (OpenHome, Vault) async throws -> Result
    ) async throws -> Result {
        let home = home.acting(as: .token(id: token.text))
        let (vault, changed) = (self.vault, self.changed)
        // Unstructured, so that the handler's cancellation stays outside.
        return try await Task {
            try vault.follow()
            let result = try await act(home, vault)
            await changed()
            return result
        }.value
    }

    /// Reads the records.
    ///
    /// - Throws: what `body` throws, `DatabaseError`.
    nonisolated func read<Result: Sendable>(
        _ body: @escaping @Sendable (borrowing Transaction) throws -> Result
    ) async throws -> Result {
        try await home.database.read(body)
    }
}
