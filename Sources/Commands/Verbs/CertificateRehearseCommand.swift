import Documents
import Issuance
import Merchants
import Sessions

/// `purser certificate rehearse`.
enum CertificateRehearseCommand {
    static let verb = Verb(
        "certificate", "rehearse",
        summary: "prove an issued identity with a real session, and change nothing",
        discussion: [
            "It ends with 0 when Apple accepts the certificate, also when something else is unfinished "
                + "there (outcome incomplete: 400 or 417), and with 69 when Apple refuses the "
                + "certificate or nothing could be proved."
        ],
        arguments: [.credential(.rehearsable)], options: [.environment],
        examples: [
            Example(
                "purser certificate rehearse 3f09a1c2d4e5 --environment sandbox",
                "try an identity at the sandbox gateway")
        ],
        needs: .key, isAct: true, run: run)

    static func run(_ invocation: Invocation) async throws {
        let id = try CredentialIdentifier(invocation[.credential])
        let environment = try invocation[.environment].map { try EnvironmentName($0) }
        let unlocked = try await invocation.unlockHome()
        let rehearsal = try await invocation.withDesk { desk in
            try await unlocked.home.rehearse(
                id, at: environment, vault: unlocked.vault, desk: desk)
        }
        switch rehearsal.verdict {
        case .proven, .incomplete: try invocation.print(RehearsalDocument(rehearsal))
        case .failed(let reason): throw IssuanceError.rehearsalFailed(reason)
        case .inconclusive(let reason): throw IssuanceError.rehearsalInconclusive(reason)
        }
    }
}

extension RehearsalDocument: Report {
    func text(width: Int) -> String {
        var lines = ["\(id) \(outcome) with a session for \(domain) at \(environment)"]
        if let reason, let remedy {
            lines = [
                "\(id) \(outcome): Apple accepts the certificate, but \(reason)",
                "next: \(remedy)",
            ]
        }
        return lines.map { TerminalText.escaped($0) + "\n" }.joined()
    }
}
