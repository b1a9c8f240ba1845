import Database
import Files
import Issuance
import Ledger
import Secrets
import Vault

/// How a verb comes to the home: where it is, as whom, and with which key.
///
/// The order matters when root asks: files that flags name are read first, as root; then the process
/// becomes the home's owner; only then is the home touched.
extension Invocation {
    /// `--home`, else `PURSER_HOME`, else the default; never guessed from the working folder.
    var layout: HomeLayout {
        let path =
            global.home ?? context.environment["PURSER_HOME"].flatMap { $0.isEmpty ? nil : $0 }
        return HomeLayout(path: context.absolute(path ?? Program.defaultHome))
    }

    /// The home for records alone; no key is asked for.
    ///
    /// - Throws: ``VaultError``, ``FileError``, ``DatabaseError``.
    func openHome(_ mode: DatabaseFile.Mode, wayBack: Bool = false) async throws -> OpenHome {
        let actor = LedgerActor.current()
        try HomeGuard.enter(layout, wayBack: wayBack)
        return try await OpenHome.open(layout, mode: mode, clock: context.clock, actor: actor)
    }

    /// The home with its keys.
    ///
    /// `wayBack` is for verbs that write a file of `--out` afterwards.
    ///
    /// - Throws: ``VaultError``, ``FileError``, ``DatabaseError``.
    func unlockHome(wayBack: Bool = false) async throws -> UnlockedHome {
        let layout = self.layout
        try HomeGuard.admit(layout)
        let named = try await namedUnlocker()
        let home = try await openHome(.readWrite, wayBack: wayBack)
        let secret = if let named { named } else { try await otherUnlocker() }
        // scrypt takes a third of a second of a core.
        let vault = try await onOwnThread { try Vault.open(layout, secret: secret) }
        return UnlockedHome(home: home, vault: vault, secret: secret)
    }
}

/// An open home with its vault, and what opened it.
struct UnlockedHome: Sendable {
    let home: OpenHome
    let vault: Vault
    let secret: UnlockSecret
}
