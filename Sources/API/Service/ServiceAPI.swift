import FoundationEssentials
import Merchants
package import Metrics
import Problems
package import Sessions
package import WebServer

/// The HTTP interface of `purser serve`: which call does what, and how it is answered.
///
/// Without tokens, which this version does not know yet, every call must come from this machine
/// itself (``LocalCaller``).
package struct ServiceAPI: Sendable {
    private typealias Call = @Sendable (ServiceAPI, HTTPRequest) async throws -> Answer

    /// An answer with what the access log tells of it.
    private struct Answer: Sendable {
        var response: HTTPResponse
        var session: MerchantSession?
        var order: SessionOrder?
    }

    private let desk: SessionDesk
    private let readiness: @Sendable () -> Readiness
    private let log: AccessLog
    private let counters: RequestCounters
    private let metrics: @Sendable () async -> [MetricFamily]
    private let report: @Sendable (any Error, String) -> Void
    private let router: Router<Call>

    /// `report` gets errors that are not the caller's business, with the request's id; `metrics`
    /// gives what /metrics tells beside `counters`.
    package init(
        desk: SessionDesk, readiness: @escaping @Sendable () -> Readiness, log: AccessLog,
        counters: RequestCounters,
        metrics: @escaping @Sendable () async -> [MetricFamily] = { [] },
        report: @escaping @Sendable (any Error, String) -> Void
    ) {
        self.desk = desk
        self.readiness = readiness
        self.log = log
        self.counters = counters
        self.metrics = metrics
        self.report = report
        var router = Router<Call>()
        router.add("POST", "/v1/merchant-sessions") { try await $0.merchantSession($1) }
        router.add("GET", "/healthz") { api, _ in api.health() }
        router.add("GET", "/readyz") { api, _ in try api.ready() }
        router.add("GET", "/metrics") { api, _ in await api.measured() }
        self.router = router
    }

    /// Answers one request; it never throws.
    ///
    /// The answer leaves one line in the log when it is taken (``HTTPResponse/whenTaken``).
    package func answer(_ request: HTTPRequest) async -> HTTPResponse {
        var outcome = AccessLog.Outcome(status: 0)
        var response: HTTPResponse
        do {
            let answer = try await route(request)
            response = answer.response
            outcome.merchant = answer.session?.merchant.text
            outcome.domain = answer.order?.domain.text
            outcome.environment = answer.session?.environment.text
            outcome.attempts = answer.session?.attempts
            outcome.connectionReused = answer.session?.connectionReused
            outcome.refusal = answer.session?.refusal?.code
        } catch {
            let failure = error as? OrderFailure
            outcome.domain = failure?.order.domain.text
            let known = (failure?.order).map { desk.roster.known(of: $0) }
            outcome.merchant = known?.merchant?.text
            outcome.environment = known?.environment?.text
            let cause = failure?.reason ?? error
            (response, outcome.code) = refusal(cause, request)
        }
        outcome.status = response.status
        return recorded(response, outcome, of: request)
    }

    /// What an old health checker may ask by HTTP/1.0: they tell nothing of value and do nothing.
    private static let healthChecks: Set<String> = ["/healthz", "/readyz"]

    /// The answer for a request that the server refuses before, or instead of, ``answer(_:)``.
    package func refuse(_ refusal: WebServerRefusal, _ request: HTTPRequest) -> HTTPResponse {
        let (response, code) = self.refusal(refusal, request)
        let outcome = AccessLog.Outcome(status: response.status, code: code)
        return recorded(response, outcome, of: request)
    }

    /// The line is written when the answer is taken: of two that race for a request, one is.
    private func recorded(
        _ response: HTTPResponse, _ outcome: AccessLog.Outcome, of request: HTTPRequest
    ) -> HTTPResponse {
        var response = response
        response.whenTaken = { [log, counters] in
            counters.count(status: outcome.status, onLoop: request.worker)
            log.record(request, outcome)
        }
        return response
    }

    /// Leaves a line about a request that ended before it could be answered.
    package func note(_ request: UnreadRequest) {
        log.record(request)
    }

    private func route(_ request: HTTPRequest) async throws -> Answer {
        guard LocalCaller.made(request) else {
            throw LocalCaller.isDirect(request) ? RequestError.foreignHost : .notLoopback
        }
        guard !request.isVersion10 || Self.healthChecks.contains(request.path) else {
            throw RequestError.oldVersion
        }
        switch router.match(request.method, request.path) {
        case .found(let call, _): return try await call(self, request)
        case .methodNotAllowed(let allowed): throw RequestError.methodNotAllowed(allowed)
        case .notFound: throw RequestError.noSuchResource
        }
    }

    private func refusal(
        _ error: any Error, _ request: HTTPRequest
    ) -> (HTTPResponse, code: String) {
        let document = ProblemDocument(error, requestID: request.id)
        if document.status == 500 { report(error, request.id) }
        var response = HTTPResponse.json(
            document.bytes, status: document.status, type: "application/problem+json")
        response.headers.set("Cache-Control", "no-store")
        if document.status == 503 { response.headers.set("Retry-After", "2") }
        if case RequestError.methodNotAllowed(let allowed) = error {
            response.headers.set("Allow", allowed)
        }
        return (response, document.code)
    }
}

// MARK: - The calls

/// A refused order, kept with its reason for the log.
private struct OrderFailure: Error {
    let order: SessionOrder
    let reason: any Error
}

extension ServiceAPI {
    private func merchantSession(_ request: HTTPRequest) async throws -> Answer {
        do {
            let answer = try await newSession(request)
            if let session = answer.session {
                count(SessionOutcome(session), session.environment.text, request)
            }
            return answer
        } catch {
            let failure = error as? OrderFailure
            let environment = failure.flatMap { desk.roster.known(of: $0.order).environment }
            // Nothing that a caller has made up becomes a label.
            let isOurs = environment.map { desk.roster.knows($0) } ?? false
            count(
                SessionOutcome(failure?.reason ?? error),
                isOurs ? environment?.text ?? "" : "", request)
            throw error
        }
    }

    private func count(_ outcome: SessionOutcome, _ environment: String, _ request: HTTPRequest) {
        counters.count(
            outcome, environment, took: ContinuousClock.now - request.receivedAt,
            onLoop: request.worker)
    }

    private func newSession(_ request: HTTPRequest) async throws -> Answer {
        guard isJSON(request.headers["Content-Type"]) else { throw RequestError.notJSON }
        let order = try SessionCall.order(from: request.body)
        do {
            let session = try await desk.session(for: order, onLoop: request.worker)
            // Apple's bytes as they came; a session serves one payment, so nobody may keep it.
            var response = HTTPResponse.json(session.bytes)
            response.headers.set("Cache-Control", "no-store")
            response.timings = [
                ServerTiming("apple", session.withApple), ServerTiming("wait", session.waited),
            ]
            return Answer(response: response, session: session, order: order)
        } catch {
            throw OrderFailure(order: order, reason: error)
        }
    }

    /// The process answers: that is all it says.
    private func health() -> Answer {
        Answer(response: .json(Array(#"{"status":"ok"}"#.utf8)))
    }

    private func ready() throws -> Answer {
        struct Document: Encodable {
            var status: String
            var merchants: Int
            var unreadable: Int
            var reasons: [String]
        }
        let readiness = readiness()
        let isReady = readiness.reasons.isEmpty
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let bytes = try encoder.encode(
            Document(
                status: isReady ? "ready" : "not ready", merchants: readiness.merchants,
                unreadable: readiness.unreadable,
                reasons: readiness.reasons))
        return Answer(response: .json(Array(bytes), status: isReady ? 200 : 503))
    }

    private func measured() async -> Answer {
        var response = HTTPResponse(
            status: 200, headers: ["Content-Type": MetricFamily.contentType])
        for family in await metrics() + counters.families { response.body += family.text }
        return Answer(response: response)
    }

    /// `application/json`, with UTF-8 as its only possible charset (RFC 8259 §8.1).
    private func isJSON(_ type: String?) -> Bool {
        guard let type else { return false }
        // What nearly every client sends.
        if type == "application/json" { return true }
        let parts = type.lowercased().split(separator: ";").map { part in
            part.filter { $0 != " " && $0 != "\t" && $0 != "\"" }
        }
        return parts.first == "application/json"
            && parts.dropFirst().allSatisfy { $0 == "charset=utf-8" }
    }
}
