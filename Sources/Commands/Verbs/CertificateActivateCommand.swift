import Issuance
import Merchants
import Sessions

/// `purser certificate activate`.
enum CertificateActivateCommand {
    static let withoutRehearsal = Option(
        flag: "without-rehearsal", "do not prove it with a session first")
    static let acceptIncomplete = Option(
        flag: "accept-incomplete",
        "go on when Apple accepts the certificate but something else is unfinished there")

    static let verb = Verb(
        "certificate", "activate",
        summary: "rehearse an identity and use it for sessions from now on",
        discussion: [
            "The identity before it becomes retiring and can be taken back. Running services follow "
                + "within a second."
        ],
        arguments: [.credential(.activatable)],
        options: [withoutRehearsal, acceptIncomplete, .environment],
        examples: [
            Example(
                "purser certificate activate 3f09a1c2d4e5",
                "prove an identity and use it from now on")
        ],
        needs: .key, isAct: true, run: run)

    static func run(_ invocation: Invocation) async throws {
        let id = try CredentialIdentifier(invocation[.credential])
        let environment = try invocation[.environment].map { try EnvironmentName($0) }
        let unlocked = try await invocation.unlockHome()
        let credential: Credential
        if invocation.isSet(withoutRehearsal) {
            credential = try await unlocked.home.activate(
                id, vault: unlocked.vault, proof: .waived)
        } else {
            let acceptsIncomplete = invocation.isSet(acceptIncomplete)
            credential = try await invocation.withDesk { desk in
                try await unlocked.home.activate(
                    id, vault: unlocked.vault,
                    proof: .rehearsal(
                        desk, at: environment, acceptingIncomplete: acceptsIncomplete),
                    incomplete: { reason in
                        invocation.warn(
                            "Apple accepts the certificate, but \(reason.summary)",
                            hint: reason.remedy)
                    })
            }
        }
        try invocation.print(CredentialActReport(credential))
    }
}
