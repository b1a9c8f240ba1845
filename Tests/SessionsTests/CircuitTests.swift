import AppleSimulator
import Locks
import Merchants
import Problems
import SessionSupport
import TLSServer
import Testing

@testable import Sessions

/// An identity that Apple refuses by TLS again and again is not shown there for some seconds.
@Suite struct CircuitTests {
    /// A desk by a clock that a test moves.
    private struct Shop {
        let bench: SessionBench
        let identity: ActiveIdentity
        let fallback: ActiveIdentity?
        let desk: SessionDesk
        let due = Locked<[Rollback]>([])
        private let order: SessionOrder
        private let lead = Locked(Duration.zero)

        init(withFallback: Bool = false, version: TLSVersion = .tls13) throws {
            bench = try SessionBench { $0.newestTLS = version }
            fallback = withFallback ? try bench.identity() : nil
            identity = try bench.identity()
            order = try SessionBench.order()
            let start = ContinuousClock.now
            desk = SessionDesk(
                roster: SessionBench.roster(try bench.entry(as: identity, fallback: fallback)),
                loops: [bench.loop], now: { [lead] in start + lead.withLock { $0 } },
                rollbackDue: { [due] rollback, _ in due.withLock { $0.append(rollback) } })
        }

        func wait(_ duration: Duration) { lead.withLock { $0 += duration } }

        /// Refuses the identity in use, the one before, or both, by an alert.
        func refuse(new: Bool = false, old: Bool = false) throws {
            let serials = bench.apple.portal.certificates().map(\.serialNumber)
            var refusals: [String: IdentityRefusal] = [:]
            if new, let last = serials.last { refusals[last] = .alert(.certificateExpired) }
            if old, let first = serials.first { refusals[first] = .alert(.certificateUnknown) }
            try bench.apple.portal.refuse(refusals)
        }

        func ask() async -> Result<MerchantSession, SessionError> {
            do throws(SessionError) {
                return .success(try await desk.session(for: order))
            } catch {
                return .failure(error)
            }
        }

        /// The code of an answer's error, or nothing.
        func code() async -> String {
            if case .failure(let error) = await ask() { error.code } else { "" }
        }

        /// How many handshakes failed; the stand-in notes one a moment after its client knows.
        func handshakes(_ expected: Int) async -> Int {
            var count = 0
            for _ in 0..<200 {
                count = bench.apple.log.records.count { $0.event == .handshakeFailed }
                if count == expected { break }
                try? await Task.sleep(for: .milliseconds(5))
            }
            return count
        }
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `after five refusals the last is told at once, and one in five seconds asks again`(
        version: TLSVersion
    ) async throws {
        let shop = try Shop(version: version)
        try shop.refuse(new: true)
        for _ in 0..<CircuitBreaker.limit {
            #expect(await shop.code() == "session.certificate-expired")
        }
        let asked = CircuitBreaker.limit
        #expect(await shop.handshakes(asked) == asked)
        for _ in 0..<20 {
            guard case .failure(let error) = await shop.ask() else { continue }
            #expect(error == .circuitOpen(.certificateExpired))
            #expect(error.nature == .unavailable && error.culprit == .certificate)
            #expect(error.retryAfterSeconds == 5)
        }
        #expect(await shop.handshakes(asked) == asked)
        let circuits = shop.desk.openCircuits
        #expect(circuits.map(\.credential) == [shop.identity.credential])
        #expect(circuits.map(\.last) == [.certificateExpired])
        shop.wait(CircuitBreaker.rest)
        #expect(await shop.code() == "session.certificate-expired")
        #expect(await shop.code() == "session.certificate-circuit-open")
        #expect(await shop.handshakes(asked + 1) == asked + 1)
        // Apple takes it again: the next try says so, and all that come after it are sent.
        try shop.refuse()
        #expect(await shop.code() == "session.certificate-circuit-open")
        shop.wait(CircuitBreaker.rest)
        for _ in 0..<3 { #expect(await shop.code() == "") }
        #expect(shop.desk.openCircuits.isEmpty)
    }

    @Test func `an open circuit goes straight to the identity before, and counts as a refusal`()
        async throws
    {
        let shop = try Shop(withFallback: true)
        try shop.refuse(new: true)
        for turn in 1...RollbackCount.limit {
            let session = try await shop.ask().get()
            #expect(session.refusal == .certificateExpired)
            #expect(session.attempts == (turn > CircuitBreaker.limit ? 1 : 2))
            #expect(shop.due.withLock { $0.count } == (turn < RollbackCount.limit ? 0 : 1))
        }
        #expect(await shop.handshakes(CircuitBreaker.limit) == CircuitBreaker.limit)
    }

    @Test func `the identity before has a circuit of its own`() async throws {
        let shop = try Shop(withFallback: true)
        try shop.refuse(new: true, old: true)
        for _ in 0..<CircuitBreaker.limit {
            #expect(await shop.code() == "session.certificate-expired")
        }
        let asked = 2 * CircuitBreaker.limit
        #expect(await shop.handshakes(asked) == asked)
        for _ in 0..<3 { #expect(await shop.code() == "session.certificate-circuit-open") }
        #expect(await shop.handshakes(asked) == asked && shop.desk.openCircuits.count == 2)
        // Both are tried again after the rest; the old one is taken, and the new one's refusal told.
        try shop.refuse(new: true)
        shop.wait(CircuitBreaker.rest)
        #expect(try await shop.ask().get().attempts == 2)
        #expect(try await shop.ask().get().attempts == 1)
        #expect(shop.desk.openCircuits.count == 1)
    }

    @Test func `an identity that is replaced leaves its circuit behind`() async throws {
        let shop = try Shop()
        try shop.refuse(new: true)
        for _ in 0..<CircuitBreaker.limit { _ = await shop.ask() }
        #expect(await shop.code() == "session.certificate-circuit-open")
        // A change of something else keeps it.
        shop.desk.replace(roster: SessionBench.roster(try shop.bench.entry(as: shop.identity)))
        #expect(await shop.code() == "session.certificate-circuit-open")
        let successor = try shop.bench.identity()
        shop.desk.replace(roster: SessionBench.roster(try shop.bench.entry(as: successor)))
        #expect(await shop.code() == "" && shop.desk.openCircuits.isEmpty)
        // Back in use, the old one is asked about anew.
        shop.desk.replace(roster: SessionBench.roster(try shop.bench.entry(as: shop.identity)))
        #expect(await shop.code() == "session.certificate-expired")
    }

    @Test func `what Apple says by HTTP opens nothing`() async throws {
        let shop = try Shop()
        let serial = shop.bench.apple.portal.certificates()[0].serialNumber
        try shop.bench.apple.portal.refuse([serial: .status(403)])
        for _ in 0..<2 * CircuitBreaker.limit {
            #expect(await shop.code() == "session.certificate-refused")
        }
    }

    @Test func `a rehearsal is made through an open circuit, and opens none`() async throws {
        let shop = try Shop()
        try shop.refuse(new: true)
        for _ in 0..<CircuitBreaker.limit { _ = await shop.ask() }
        let environment = try shop.bench.environment()
        for _ in 0...CircuitBreaker.limit {
            let verdict = await shop.desk.rehearse(
                shop.identity, as: try shop.bench.merchant(environments: [environment]),
                domain: try DomainName(SessionBench.domain), at: environment)
            #expect(verdict == .failed(.certificateExpired))
        }
    }
}
