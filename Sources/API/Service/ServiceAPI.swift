import Database
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
package final class ServiceAPI: Sendable {
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
    // Apple's bytes as they came; a session serves one payment, so nobody may keep it.
    private let sessionHeaders: HTTPHeaders = [
        "Content-Type": "application/json", "Cache-Control": "no-store",
    ]

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

    /// What is known of a request so far, for its line in the log and the metrics.
    private struct Trace {
        var call: Call?
        var order: SessionOrder?
        var outcome = AccessLog.Outcome(status: 0)
    }

    /// Answers one request; it never throws.
    ///
    /// The answer leaves one line in the log when it is taken (``HTTPResponse/whenTaken``).
    ///
    /// All that needs no waiting is done in functions that cannot wait: each that could is a frame of
    /// its own for the task, and the checkout's call is to need few.
    package func answer(_ request: HTTPRequest) async -> HTTPResponse {
        var trace = Trace()
        do {
            let context = try begin(request, &trace)
            guard let run = context.call.run else {
                let order = try order(of: context, &trace)
                let session = try await desk.session(for: order, onLoop: request.worker)
                return answer(with: session, &trace, to: request)
            }
            let answer = try await run(context)
            trace.outcome.merchant = answer.merchant?.text
            return recorded(answer.response, trace.outcome, of: request)
        } catch {
            return refused(error, trace, request)
        }
    }

    /// The answer for a request that the server refuses before, or instead of, ``answer(_:)``.
    package func refuse(_ refusal: WebServerRefusal, _ request: HTTPRequest) -> HTTPResponse {
        let (response, code) = self.refusal(refusal, request)
        return recorded(response, AccessLog.Outcome(status: 0, code: code), of: request)
    }

    /// The line is written when the answer is taken: of two that race for a request, one is.
    private func recorded(
        _ response: HTTPResponse, _ outcome: AccessLog.Outcome, of request: HTTPRequest
    ) -> HTTPResponse {
        var (response, outcome) = (response, outcome)
        outcome.status = response.status
        response.whenTaken = { [self, outcome] in
            counters.count(status: outcome.status, onLoop: request.worker)
            log.record(request, outcome)
        }
        return response
    }

    /// Leaves a line about a request that ended before it could be answered.
    package func note(_ request: UnreadRequest) {
        log.record(request)
    }

    /// Finds the call, lets the doorkeeper look at who makes it, and reads what was sent.
    ///
    /// Whether there is such a path is told to everybody: the document lists them all.
    private func begin(_ request: HTTPRequest, _ trace: inout Trace) throws -> CallContext {
        let call: Call
        let names: [String: String]
        switch CallTable.router.match(request.method, request.path) {
        case .found(let found, let parameters): (call, names) = (found, parameters)
        case .methodNotAllowed(let allowed): throw RequestError.methodNotAllowed(allowed)
        case .notFound: throw RequestError.noSuchResource
        }
        trace.call = call
        let caller = try admit(request, to: call, &trace.outcome)
        if let token = caller.token {
            if call.isAboutAllMerchants, !token.merchants.isEmpty {
                throw AccessError.allMerchantsNeeded
            }
            if let seconds = limits.perToken.secondsToWait(token.id.text) {
                throw AccessError.rateExceeded("token", retryAfter: seconds)
            }
        }
        return try CallContext(call, of: self, request, by: caller, names: names)
    }

    /// The answer to a request that came to nothing, with what is known of it in the log.
    private func refused(
        _ error: any Error, _ trace: Trace, _ request: HTTPRequest
    ) -> HTTPResponse {
        var outcome = trace.outcome
        let known = trace.order.map { desk.roster.known(of: $0) }
        outcome.domain = trace.order?.domain.text
        outcome.merchant = known?.merchant?.text
        outcome.environment = known?.environment?.text
        if trace.call?.isSession == true {
            // Nothing that a caller has made up becomes a label.
            let isOurs = known?.environment.map { desk.roster.knows($0) } ?? false
            count(SessionOutcome(error), isOurs ? outcome.environment ?? "" : "", request)
        }
        let (response, code) = refusal(error, request)
        outcome.code = code
        return recorded(response, outcome, of: request)
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
        if document.status == 500 || error is DatabaseError { report(error, request.id) }
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

// MARK: - The checkout's call

extension ServiceAPI {
    private func order(
        of context: CallContext, _ trace: inout Trace
    ) throws -> SessionOrder {
        let order = try SessionCalls.order(of: context)
        trace.order = order
        try limit(order)
        return order
    }

    private func answer(
        with session: MerchantSession, _ trace: inout Trace, to request: HTTPRequest
    ) -> HTTPResponse {
        count(SessionOutcome(session), session.environment.text, request)
        trace.outcome.merchant = session.merchant.text
        trace.outcome.domain = trace.order?.domain.text
        trace.outcome.environment = session.environment.text
        trace.outcome.attempts = session.attempts
        trace.outcome.connectionReused = session.connectionReused
        trace.outcome.refusal = session.refusal?.code
        var response = HTTPResponse(status: 200, headers: sessionHeaders, body: session.bytes)
        response.timings = [
            ServerTiming("apple", session.withApple), ServerTiming("wait", session.waited),
        ]
        return recorded(response, trace.outcome, of: request)
    }

    private func count(_ outcome: SessionOutcome, _ environment: String, _ request: HTTPRequest) {
        counters.count(
            outcome, environment, took: ContinuousClock.now - request.receivedAt,
            onLoop: request.worker)
    }

    /// Counts an order of the merchant whose it is: one that is refused is nobody's.
    private func limit(_ order: SessionOrder) throws {
        guard !limits.perMerchant.isOff else { return }
        let merchant = try desk.roster.merchant(of: order)
        guard let seconds = limits.perMerchant.secondsToWait(merchant.text) else { return }
        throw AccessError.rateExceeded("merchant", retryAfter: seconds)
    }
}

// MARK: - What the calls ask of the service

extension ServiceAPI {
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
