import Issuance
import Merchants

/// `purser certificate activated`.
enum CertificateActivatedCommand {
    static let at = Option("at", "TIME", "when it was, or on which day (default: now)")

    static let verb = Verb(
        "certificate", "activated",
        summary: "record that a processing certificate was activated at Apple",
        discussion: [
            "A time is RFC 3339, such as 2026-03-01T08:00:00Z. A date alone means that day, in UTC, and "
                + "after whatever else was activated on it.",
            "What is told of an earlier time than the active one's is recorded as retiring, with a "
                + "warning. A retiring one becomes active again when it is told with --at and a later "
                + "time.",
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
        if let successor = try await unlocked.home.successor(of: credential) {
            let since = successor.activatedAt.map { ", activated on \($0)" } ?? ""
            invocation.warn(
                "this is older than \(successor.id)\(since), so \(id) is recorded as superseded",
                hint:
                    "if Apple uses it, give a later time: purser certificate activated \(id) --at TIME"
            )
        }
        try invocation.print(CredentialActReport(credential))
    }
}
