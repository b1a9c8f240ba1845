import Clocks
import Database
import Issuance
import Ledger
import Merchants
import Registry

/// `purser certificate destroy`.
enum CertificateDestroyCommand {
    static let yes = Option(flag: "yes", "do not ask whether it is meant")

    static let verb = Verb(
        "certificate", "destroy", summary: "wipe the key of a credential that is out of use",
        discussion: [
            "For one that is retired, abandoned or revoked. There is no way back: payment tokens under "
                + "the key can never be opened again. A terminal asks for the credential's id; "
                + "elsewhere --yes is needed. The record and its history stay. A processing key that was in use "
                + "is kept for 30 days after its retirement at least (rotation.retentionDays).",
            "The key's file is overwritten and removed in this home alone. Backups and copies that were "
                + "made while it existed still hold the key, and so may the disk itself below the file "
                + "system.",
        ],
        arguments: [.credential(.destroyable)], options: [yes],
        examples: [
            Example("purser certificate destroy 3f09a1c2d4e5", "wipe a key, after a question"),
            Example("purser certificate destroy 3f09a1c2d4e5 --yes", "wipe a key in a script"),
        ],
        needs: .key, isAct: true, run: run)

    static func run(_ invocation: Invocation) async throws {
        let id = try CredentialIdentifier(invocation[.credential])
        let unlocked = try await invocation.unlockHome()
        let credential = try await unlocked.home.database.read {
            try Credentials.find(id, in: $0)
        }
        // A question is asked only where something would be done.
        let periods = try await invocation.policyScope().periods
        let isWanted = try !planDestruction(
            of: credential, at: invocation.context.clock.now, periods: periods
        ).isEmpty
        if isWanted, !invocation.isSet(yes) {
            try await invocation.context.confirm(
                id.text,
                question: "Type the id to destroy the key of \(credential.merchant) "
                    + "(\(credential.kind.rawValue), \(credential.state.rawValue)) for ever: ")
        }
        let ended = try await unlocked.home.destroy(
            id, vault: unlocked.vault, periods: periods)
        invocation.warnOfCopies(ended)
        let backups = try await unlocked.home.backups(since: ended.credential.createdAt)
        let exports = try await unlocked.home.exports(of: ended.credential)
        var next = steps(after: ended, backups, exports)
        if credential.state != .revoked, let certificate = credential.certificate,
            certificate.notAfter > invocation.context.clock.now
        {
            next.append(
                "its certificate counts among those that Apple allows until "
                    + "\(certificate.notAfter): revoke it in Apple's portal, if that was not done")
        }
        try invocation.print(EndReport(ended, next: next))
    }

    /// Backups and exports that the ledger knows of, the newest first, and a word on those that it does not.
    private static func steps(
        after ended: EndedCredential, _ backups: [LedgerRecord], _ exports: [LedgerRecord]
    ) -> [String] {
        let since = ended.credential.createdAt
        return backups.reversed().map {
            "the backup of \($0.at), which holds the key, was written to \(file(of: $0))"
        }
            + exports.reversed().map {
                "the key was exported at \($0.at) as \($0.details?["profile"] ?? "a file"): "
                    + "destroy that file, wherever it was taken"
            }
            + [
                "copies of the home since \(since), when the key came, still hold it: "
                    + "destroy those that may go"
            ]
    }

    private static func file(of backup: LedgerRecord) -> String {
        backup.details?["file"] ?? "a place that the ledger does not name"
    }
}
