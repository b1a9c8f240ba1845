import Problems
import Testing

@testable import Sessions

@Suite struct SessionErrorTests {
    @Test(arguments: SessionError.examples)
    func `an error is short, has a remedy, and no secret`(error: SessionError) {
        #expect(error.code.hasPrefix("session."))
        #expect(!error.remedy.isEmpty && error.remedy.count <= 120)
        #expect(!error.summary.isEmpty && error.summary.count <= 120)
        #expect(!error.summary.hasSuffix(".") && !error.description.contains("BEGIN"))
    }

    @Test func `the examples have every case once or more`() {
        #expect(Set(SessionError.examples.map(\.code)).count == 46)
    }

    @Test func `whoever is to blame, a code's family says it`() {
        for error in SessionError.examples {
            let family = error.code.dropFirst("session.".count)
            #expect((error.culprit == .network) == family.hasPrefix("network-"))
            #expect((error.culprit == .certificate) == family.hasPrefix("certificate-"))
            if error.culprit == .apple { #expect(family.hasPrefix("apple-")) }
        }
    }
}

@Suite struct RehearsalVerdictTests {
    @Test(arguments: [
        SessionError.certificateExpired, .certificateRefused(how: "TLS alert 46"),
        .certificateRefused(how: "HTTP 401"),
    ])
    func `a refused certificate fails`(error: SessionError) {
        #expect(RehearsalVerdict(error) == .failed(error))
    }

    @Test(arguments: [
        SessionError.domainRefused(said: "x"), .merchantRefused(said: "x"),
        .merchantIncomplete(said: "x"), .requestRefused(said: "x"),
    ])
    func `what Apple says of the merchant proves the certificate`(error: SessionError) {
        #expect(RehearsalVerdict(error) == .incomplete(error))
    }

    @Test(arguments: [
        SessionError.appleFailed(status: 500), .throttled, .redirected(status: 302), .pathUnknown,
        .malformedAnswer("x"), .unexpectedStatus(418), .unreachable("x"), .answerTimedOut("x"),
        .gatewayUntrusted("x", why: "y"), .connectionBroken("x"), .overloaded, .stopping,
        .validationURL,
    ])
    func `everything else says nothing of the certificate`(error: SessionError) {
        #expect(RehearsalVerdict(error) == .inconclusive(error))
    }
}
