import Issuance
import Merchants

/// `purser certificate retire`.
enum CertificateRetireCommand {
    static let verb = Verb(
        "certificate", "retire", summary: "take a superseded credential out of use",
        discussion: [
            "For one that is retiring: its successor has proved itself, and it is not needed for a way "
                + "back. What is in use is refused until another has taken its place, unless a provider "
                + "holds its key. A processing key waits until no payment token has come under it for 14 days "
                + "(rotation.quietDays). The key is kept: a payment token under it can still be opened."
        ],
        arguments: [.credential(.retirable)],
        examples: [
            Example(
                "purser certificate retire 3f09a1c2d4e5",
                "end the time in which it can be taken back")
        ],
        needs: .key, isAct: true, run: run)

    static func run(_ invocation: Invocation) async throws {
        let id = try CredentialIdentifier(invocation[.credential])
        let unlocked = try await invocation.unlockHome()
        let ended = try await unlocked.home.retire(
            id, vault: unlocked.vault, periods: try await invocation.policyScope().periods)
        try invocation.print(EndReport(ended, next: []))
    }
}
