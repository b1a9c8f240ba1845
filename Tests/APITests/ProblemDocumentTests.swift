import FoundationEssentials
import Merchants
import Problems
import Sessions
import Testing
import WebServer

@testable import API

@Suite struct ProblemDocumentTests {
    private static let everyError: [any Explained] =
        SessionError.examples + RequestError.examples + MerchantsError.examples
        + AccessError.examples
        + WebServerRefusal.examples

    @Test func `every error becomes a document of seven members with a known status`() throws {
        struct Seen: Decodable, Equatable {
            var type, title, detail, code, remedy, requestId: String
            var status: Int
        }
        for error in Self.everyError {
            let document = ProblemDocument(error, requestID: "00112233aabbccdd")
            let seen = try JSONDecoder().decode(Seen.self, from: Data(document.bytes))
            #expect(seen.type == "about:blank" && seen.requestId == "00112233aabbccdd")
            #expect(seen.code == error.code && seen.detail == error.summary)
            #expect(seen.remedy == error.remedy && seen.status == document.status)
            #expect((400...599).contains(seen.status) && seen.title != "Error", "\(error)")
        }
    }

    @Test(arguments: [
        (Nature.usage, 400), (.badData, 422), (.conflict, 409), (.notFound, 404),
        (.unreachable, 502), (.timedOut, 504), (.refused, 502), (.unavailable, 503),
        (.internalFault, 500), (.cannotCreate, 409), (.denied, 403), (.configuration, 500),
    ])
    func `a nature has its status`(nature: Nature, status: Int) {
        #expect(ProblemDocument.status(of: nature) == status)
    }

    @Test(
        arguments: [
            (RequestError.notJSON, 415), (RequestError.methodNotAllowed("POST"), 405),
            (RequestError.noSuchResource, 404), (AccessError.tokenRequired(nil), 401),
            (AccessError.roleMissing(.auditor), 403),
            (AccessError.rateExceeded("token", retryAfter: 1), 429),
            (SessionError.throttled, 503), (SessionError.answerTimedOut("x"), 504),
            (SessionError.certificateExpired, 502), (SessionError.stopping, 503),
            (WebServerRefusal.bodyTooLarge(maximumBytes: 1), 413),
            (WebServerRefusal.draining, 503),
        ] as [(any Error, Int)])
    func `HTTP's own statuses are used where it has them`(error: any Error, status: Int) {
        #expect(ProblemDocument(error, requestID: "x").status == status)
    }

    @Test func `an error that is not ours shows a reference and nothing else`() {
        struct Foreign: Error { let secret = "hunter2" }
        let document = ProblemDocument(Foreign(), requestID: "00112233aabbccdd")
        let text = String(decoding: document.bytes, as: UTF8.self)
        #expect(document.status == 500 && document.code == "internal.error")
        #expect(!text.contains("hunter2") && text.contains("reference 00112233aabbccdd"))
    }

    @Test(arguments: RequestError.examples)
    func `a request's error is short and has a remedy`(error: RequestError) {
        #expect(error.code.hasPrefix("request."))
        #expect(!error.remedy.isEmpty && error.remedy.count <= 120)
        #expect(!error.summary.isEmpty && error.summary.count <= 120)
        #expect(!error.summary.hasSuffix("."))
    }
}
