import Documents
import Issuance
import Merchants
import Registry
import Sessions
import WebServer

/// What is done with a credential that is there.
enum CertificateActCalls {
    static let all = [rehearse, activate, activated, retire]

    private static let environment = Schema.Property.optional(
        "environment", .environment,
        "The gateway to try it at; may be left out where the merchant uses one alone.")

    private static let rehearse = Call(
        method: "POST", path: "/v1/certificates/{id}/rehearse",
        summary: "Prove an issued identity with a real session, and change nothing.",
        rule: .role(.operator), body: BodyShape([environment]),
        answers: [AnswerShape(200, "Apple accepts the certificate.", .named("Rehearsal"))]
    ) { context in
        let credential = try await context.coveredCredential()
        let environment = try context.body["environment"].map { try EnvironmentName($0) }
        let desk = context.api.home.desk
        let rehearsal = try await context.act { home, vault in
            try await home.rehearse(credential.id, at: environment, vault: vault, desk: desk)
        }
        switch rehearsal.verdict {
        case .proven, .incomplete:
            return try .document(RehearsalDocument(rehearsal), about: credential.merchant)
        case .failed(let reason): throw IssuanceError.rehearsalFailed(reason)
        case .inconclusive(let reason): throw IssuanceError.rehearsalInconclusive(reason)
        }
    }

    private static let activate = Call(
        method: "POST", path: "/v1/certificates/{id}/activate",
        summary: "Rehearse an identity and use it for sessions from now on.",
        rule: .role(.operator),
        body: BodyShape([
            environment,
            .optional(
                "withoutRehearsal", .boolean, "Do not prove it with a session first."),
            .optional(
                "acceptIncomplete", .boolean,
                "Go on when Apple accepts the certificate but something else is unfinished there."),
        ]),
        answers: [AnswerShape(200, "The credential.", .named("Certificate"))]
    ) { context in
        let credential = try await context.coveredCredential()
        let environment = try context.body["environment"].map { try EnvironmentName($0) }
        let desk = context.api.home.desk
        let isWaived = context.body.isTrue("withoutRehearsal")
        let acceptsIncomplete = context.body.isTrue("acceptIncomplete")
        let active = try await context.act { home, vault in
            try await home.activate(
                credential.id, vault: vault,
                proof: isWaived
                    ? .waived
                    : .rehearsal(desk, at: environment, acceptingIncomplete: acceptsIncomplete))
        }
        return try .document(CredentialDocument(active), about: credential.merchant)
    }

    private static let activated = Call(
        method: "POST", path: "/v1/certificates/{id}/activated",
        summary: "Record that a processing certificate was activated at Apple.",
        rule: .role(.operator),
        body: BodyShape([.optional("at", .time, "When it was; now where left out.")]),
        answers: [AnswerShape(200, "The credential.", .named("Certificate"))]
    ) { context in
        let credential = try await context.coveredCredential()
        let time = try context.body.time("at")
        let recorded = try await context.act { home, vault in
            try await home.recordActivation(credential.id, at: time, vault: vault)
        }
        return try .document(CredentialDocument(recorded), about: credential.merchant)
    }

    private static let retire = Call(
        method: "POST", path: "/v1/certificates/{id}/retire",
        summary: "Take a superseded credential out of use; its key is kept.",
        rule: .role(.operator), body: BodyShape([]),
        answers: [AnswerShape(200, "The credential.", .named("Certificate"))]
    ) { context in
        let credential = try await context.coveredCredential()
        let periods = context.api.home.periods
        let ended = try await context.act { home, vault in
            try await home.retire(credential.id, vault: vault, periods: periods)
        }
        return try .document(CredentialDocument(ended.credential), about: credential.merchant)
    }
}
