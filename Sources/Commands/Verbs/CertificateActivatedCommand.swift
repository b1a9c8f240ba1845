import Issuance
import Merchants

/// `purser certificate activated`.
enum CertificateActivatedCommand {
    static let at = Option("at", "TIME", "when it was (default: now)")

    static let verb = Verb(
        "certificate", "activated",
        summary: "record that a processing certificate was activated at Apple",
        discussion: [
            "A time is RFC 3339, such as 2026-03-01T08:00:00Z; a date alone means that day, in UTC."
        ],
        arguments: [.credential(.recordable)], options: [at],
        examples: [
            Example(
                "purser certificate activated 3f09a1c2d4e5",
                "record that a certificate was activated just now")
        ],
        needs: .key, isAct: true, run: run)

    static func run(_ invocation: Invocation) async throws {
        let id = try CredentialIdentifier(invocation[.credential])
        let time = try invocation.time(at)
        let unlocked = try await invocation.unlockHome()
        let credential = try await unlocked.home.recordActivation(
            id, at: time, wholeDay: invocation.isDate(at), vault: unlocked.vault)
        try invocation.print(CredentialActReport(credential))
    }
}
