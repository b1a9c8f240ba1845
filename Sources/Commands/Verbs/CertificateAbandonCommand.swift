import Issuance
import Merchants

/// `purser certificate abandon`.
enum CertificateAbandonCommand {
    static let verb = Verb(
        "certificate", "abandon", summary: "give up a credential that was never in use",
        discussion: [
            "For a request that nobody will upload, or a certificate that nobody will use. The key is "
                + "kept, and a certificate that still turns up for it can be imported."
        ],
        arguments: [.credential(.abandonable)],
        examples: [Example("purser certificate abandon 3f09a1c2d4e5", "give up a request")],
        needs: .key, isAct: true, run: run)

    static func run(_ invocation: Invocation) async throws {
        let id = try CredentialIdentifier(invocation[.credential])
        let unlocked = try await invocation.unlockHome()
        let ended = try await unlocked.home.abandon(id, vault: unlocked.vault)
        try invocation.print(EndReport(ended, next: []))
    }
}
