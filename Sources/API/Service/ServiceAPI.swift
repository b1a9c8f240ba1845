import FoundationEssentials
import Merchants
package import Metrics
import Problems
package import Sessions
package import WebServer

/// The HTTP interface of `purser serve`: who may make which call, what it does, and how it is
/// answered.
///
/// Which calls there are stands in ``CallTable``; who may make them is decided by ``Doorkeeper``.
package struct ServiceAPI: Sendable {
    let desk: SessionDesk
    let home: HomeDesk
    /// `/openapi.json`.
    let description: [UInt8]
    private let readiness: @Sendable () -> Readiness
    private let log: AccessLog
    private let counters: RequestCounters
    private let metrics: @Sendable () async -> [MetricFamily]
    private let report: @Sendable (any Error, String) -> Void
    private let doorkeeper: Doorkeeper
    private let limits: Limits

    /// How many requests a second are let through.
    package struct Limits: Sendable {
        let perToken: RateLimiter
        let perMerchant: RateLimiter

        /// Zero is no limit.
        package init(perToken: Int = 0, perMerchant: Int = 0) {
            self.perToken = RateLimiter(perSecond: perToken)
            self.perMerchant = RateLimiter(perSecond: perMerchant)
        }
    }

    /// `report` gets errors that are not the caller's business, with the request's id; `metrics`
    /// gives what /metrics tells beside `counters`.
    package init(
        desk: SessionDesk, home: HomeDesk, doorkeeper: Doorkeeper, limits: Limits = Limits(),
        version: String, readiness: @escaping @Sendable () -> Readiness, log: AccessLog,
        counters: RequestCounters,
        metrics: @escaping @Sendable () async -> [MetricFamily] = { [] },
        report: @escaping @Sendable (any Error, String) -> Void
    ) {
        self.desk = desk
        self.home = home
        self.doorkeeper = doorkeeper
        self.limits = limits
        self.readiness = readiness
        self.log = log
        self.counters = counters
        self.metrics = metrics
        self.report = report
        description = OpenAPIDocument.bytes(of: CallTable.all, version: version)
    }

    /// Answers one request; it never throws.
    ///
    /// The answer leaves one line in the log when it is taken (``HTTPResponse/whenTaken``).
    package func answer(_ request: HTTPRequest) async -> HTTPResponse {
        var outcome = AccessLog.Outcome(status: 0)
        var response: HTTPResponse
        do {
            let answer = try await route(request, &outcome)
            response = answer.response
            outcome.merchant = answer.session?.merchant.text ?? answer.merchant?.text
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

    /// Finds the call, lets the doorkeeper look at who makes it, and makes it.
    ///
    /// Whether there is such a path is told to everybody: the document lists them all.
    private func route(
        _ request: HTTPRequest, _ outcome: inout AccessLog.Outcome
    ) async throws -> Answer {
        let call: Call
        let names: [String: String]
        switch CallTable.router.match(request.method, request.path) {
        case .found(let found, let parameters): (call, names) = (found, parameters)
        case .methodNotAllowed(let allowed): throw RequestError.methodNotAllowed(allowed)
        case .notFound: throw RequestError.noSuchResource
        }
        do {
            return try await make(call, names, request, &outcome)
        } catch {
            if call.isSession { countFailure(error, request) }
            throw error
        }
    }

    private func make(
        _ call: Call, _ names: [String: String], _ request: HTTPRequest,
        _ outcome: inout AccessLog.Outcome
    ) async throws -> Answer {
        let caller = try admit(request, to: call, &outcome)
        if let token = caller.token {
            if call.isAboutAllMerchants, !token.merchants.isEmpty {
                throw AccessError.allMerchantsNeeded
            }
            if let seconds = limits.perToken.secondsToWait(token.id.text) {
                throw AccessError.rateExceeded("token", retryAfter: seconds)
            }
        }
        let context = CallContext(
            api: self, request: request, caller: caller, names: names,
            query: try CallQuery(of: request, as: call.takesAnyQuery ? nil : call.parameters),
            body: try CallBody(of: request, as: call.body))
        return try await call.run(context)
    }

    /// Who makes the call; what was seen of whom is turned away stands in the log as well.
    private func admit(
        _ request: HTTPRequest, to call: Call, _ outcome: inout AccessLog.Outcome
    ) throws(AccessError) -> Caller {
        var seen = Sighting()
        defer {
            outcome.token = seen.token?.text
            outcome.caller = seen.address
        }
        return try doorkeeper.admit(
            request, by: call.rule, isHarmless: call.isHarmless, tokens: desk.roster.tokens,
            seen: &seen)
    }

    private func refusal(
        _ error: any Error, _ request: HTTPRequest
    ) -> (HTTPResponse, code: String) {
        let document = ProblemDocument(error, requestID: request.id)
        if document.status == 500 { report(error, request.id) }
        var response = HTTPResponse.json(
            document.bytes, status: document.status, type: "application/problem+json")
        response.headers.set("Cache-Control", "no-store")
        if document.status == 503 {
            let wait = (error as? SessionError)?.retryAfterSeconds ?? 2
            response.headers.set("Retry-After", "\(wait)")
        }
        switch error {
        case RequestError.methodNotAllowed(let allowed): response.headers.set("Allow", allowed)
        case let refusal as AccessError:
            if let challenge = refusal.challenge {
                response.headers.set("WWW-Authenticate", challenge)
            }
            if case .rateExceeded(_, let seconds) = refusal {
                response.headers.set("Retry-After", "\(seconds)")
            }
        default: break
        }
        return (response, document.code)
    }
}

// MARK: - What the calls ask of the service

/// A refused order, kept with its reason for the log.
private struct OrderFailure: Error {
    let order: SessionOrder
    let reason: any Error
}

extension ServiceAPI {
    private func countFailure(_ error: any Error, _ request: HTTPRequest) {
        let failure = error as? OrderFailure
        let environment = failure.flatMap { desk.roster.known(of: $0.order).environment }
        // Nothing that a caller has made up becomes a label.
        let isOurs = environment.map { desk.roster.knows($0) } ?? false
        count(
            SessionOutcome(failure?.reason ?? error), isOurs ? environment?.text ?? "" : "", request
        )
    }

    private func count(_ outcome: SessionOutcome, _ environment: String, _ request: HTTPRequest) {
        counters.count(
            outcome, environment, took: ContinuousClock.now - request.receivedAt,
            onLoop: request.worker)
    }

    func merchantSession(_ context: CallContext) async throws -> Answer {
        let order = try SessionCalls.order(of: context)
        do {
            try limit(order)
            let session = try await desk.session(for: order, onLoop: context.request.worker)
            // Apple's bytes as they came; a session serves one payment, so nobody may keep it.
            count(SessionOutcome(session), session.environment.text, context.request)
            var answer = Answer(.json(session.bytes))
            answer.response.headers.set("Cache-Control", "no-store")
            answer.response.timings = [
                ServerTiming("apple", session.withApple), ServerTiming("wait", session.waited),
            ]
            answer.session = session
            answer.order = order
            return answer
        } catch {
            throw OrderFailure(order: order, reason: error)
        }
    }

    private func limit(_ order: SessionOrder) throws(AccessError) {
        guard !limits.perMerchant.isOff,
            let merchant = desk.roster.known(of: order).merchant, desk.roster.serves(merchant),
            let seconds = limits.perMerchant.secondsToWait(merchant.text)
        else { return }
        throw .rateExceeded("merchant", retryAfter: seconds)
    }

    func ready() throws -> Answer {
        struct Document: Encodable {
            var status: String
            var merchants: Int
            var unreadable: Int
            var reasons: [String]
        }
        let readiness = readiness()
        let isReady = readiness.reasons.isEmpty
        return try .document(
            Document(
                status: isReady ? "ready" : "not ready", merchants: readiness.merchants,
                unreadable: readiness.unreadable, reasons: readiness.reasons),
            status: isReady ? 200 : 503)
    }

    func measured() async -> Answer {
        var response = HTTPResponse(
            status: 200, headers: ["Content-Type": MetricFamily.contentType])
        for family in await metrics() + counters.families { response.body += family.text }
        return Answer(response)
    }
}
