import AppleSimulator
import Locks
import Merchants
import SessionSupport
import TLSServer
import Testing

@testable import Sessions

/// A session that is refused under the identity in use is asked for once more under the one before.
@Suite struct FallbackTests {
    /// A desk whose shop has a new identity and the one before it, and what it tells.
    private struct Shop {
        let bench: SessionBench
        let (old, new): (ActiveIdentity, ActiveIdentity)
        let desk: SessionDesk
        let due = Locked<[Rollback]>([])
        /// Of the new and the old certificate.
        let (newSerial, oldSerial): (String, String)

        init(_ change: (inout SimulatorConfiguration) -> Void = { _ in }) throws {
            bench = try SessionBench(change)
            (old, new) = (try bench.identity(), try bench.identity())
            let serials = bench.apple.portal.certificates().map(\.serialNumber)
            (oldSerial, newSerial) = (serials[0], serials[1])
            desk = SessionDesk(
                roster: SessionBench.roster(try bench.entry(as: new, fallback: old)),
                loops: [bench.loop],
                budget: SessionDesk.Budget(connect: .seconds(2), total: .seconds(5)),
                rollbackDue: { [due] rollback, _ in due.withLock { $0.append(rollback) } })
        }

        func ask() async throws -> MerchantSession {
            try await desk.session(for: try SessionBench.order())
        }

        /// Refuses the new identity, the old one, or both.
        func refuse(new: IdentityRefusal? = nil, old: IdentityRefusal? = nil) throws {
            var refusals: [String: IdentityRefusal] = [:]
            refusals[newSerial] = new
            refusals[oldSerial] = old
            try bench.apple.portal.refuse(refusals)
        }

        var rollback: Rollback {
            get throws {
                Rollback(
                    try MerchantIdentifier(SessionBench.shop), from: new.credential,
                    to: old.credential)
            }
        }
    }

    static let refusals: [(IdentityRefusal, String)] = [
        (.alert(.certificateUnknown), "session.certificate-refused"),
        (.alert(.certificateExpired), "session.certificate-expired"),
        (.status(401), "session.certificate-refused"),
        (.status(403), "session.certificate-refused"),
        (.status(417), "session.merchant-incomplete"),
    ]

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `the caller gets the session, and ten in a row make a rollback due, once`(
        version: TLSVersion
    ) async throws {
        for (refusal, code) in Self.refusals {
            let shop = try Shop { $0.newestTLS = version }
            try shop.refuse(new: refusal)
            for turn in 1...12 {
                let session = try await shop.ask()
                // Of TLS's refusals five are enough: then Apple is not asked in vain any more.
                let isSpared =
                    if case .alert = refusal { turn > CircuitBreaker.limit } else { false }
                #expect(session.refusal?.code == code && session.attempts == (isSpared ? 1 : 2))
                // The old identity's connection is kept from one to the next.
                #expect(session.connectionReused == (turn > 1))
                #expect(shop.due.withLock { $0.count } == (turn < 10 ? 0 : 1))
            }
            let rollback = try shop.rollback
            #expect(shop.due.withLock { $0 } == [rollback])
            // Not carried out: it becomes due again.
            shop.desk.recount(rollback)
            for _ in 0..<10 { _ = try await shop.ask() }
            #expect(shop.due.withLock { $0.count } == 2)
        }
    }

    @Test func `a success in between counts from the beginning`() async throws {
        let shop = try Shop()
        for _ in 0..<3 {
            try shop.refuse(new: .status(403))
            for _ in 0..<9 { _ = try await shop.ask() }
            try shop.refuse()
            #expect(try await shop.ask().refusal == nil)
        }
        #expect(shop.due.withLock { $0 }.isEmpty)
    }

    @Test func `where both are refused the caller is told of the one in use, and nothing counts`()
        async throws
    {
        let shop = try Shop()
        try shop.refuse(new: .status(403), old: .status(417))
        for _ in 0..<12 {
            await #expect(throws: SessionError.certificateRefused(how: "HTTP 403")) {
                try await shop.ask()
            }
        }
        try shop.refuse(new: .status(403))
        for _ in 0..<9 { _ = try await shop.ask() }
        #expect(shop.due.withLock { $0 }.isEmpty)
    }

    @Test func `what is nobody's fault, or the request's, is not taken to the old identity`()
        async throws
    {
        let shop = try Shop()
        for status in [400, 404, 429, 503] {
            try shop.refuse(new: .status(status))
            shop.bench.apple.log.clear()
            await #expect(throws: SessionError.self) { try await shop.ask() }
            let serials = Set(shop.bench.apple.log.records.map(\.clientSerialNumber))
            #expect(serials == [shop.newSerial], "\(status)")
        }
    }

    @Test func `all of it stays within the total budget`() async throws {
        let shop = try Shop()
        try shop.refuse(new: .status(403))
        var rudeness = Rudeness.none
        rudeness.latencyMilliseconds = 2_900
        shop.bench.apple.rudeness = rudeness
        let start = ContinuousClock.now
        await #expect(throws: SessionError.certificateRefused(how: "HTTP 403")) {
            try await shop.ask()
        }
        #expect(ContinuousClock.now - start < .seconds(5.8))
    }

    @Test func `many at once count as one row, and one rollback is due`() async throws {
        let shop = try Shop()
        try shop.refuse(new: .alert(.certificateUnknown))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<10 {
                        let session = try await shop.ask()
                        #expect(session.refusal != nil)
                    }
                }
            }
            try await group.waitForAll()
        }
        let rollback = try shop.rollback
        #expect(shop.due.withLock { $0 } == [rollback])
    }

    @Test
    func `an identity that becomes the fallback loses its connections, and may open new ones`()
        async throws
    {
        let bench = try SessionBench()
        let (old, new) = (try bench.identity(), try bench.identity())
        let serial = bench.apple.portal.certificates()[1].serialNumber
        let desk = SessionDesk(
            roster: SessionBench.roster(try bench.entry(as: old)), loop: bench.loop)
        let order = try SessionBench.order()
        _ = try await desk.session(for: order)
        let roster = SessionBench.roster(try bench.entry(as: new, fallback: old))
        desk.replace(roster: roster)
        try bench.apple.portal.refuse([serial: .status(403)])
        #expect(try await !desk.session(for: order).connectionReused)
        #expect(try await desk.session(for: order).connectionReused)
        // Another change of the home leaves them.
        desk.replace(roster: SessionBench.roster(try bench.entry(as: new, fallback: old)))
        #expect(try await desk.session(for: order).connectionReused)
        // In use again, it keeps them.
        desk.replace(roster: SessionBench.roster(try bench.entry(as: old)))
        let after = try await desk.session(for: order)
        #expect(after.connectionReused && after.refusal == nil && after.attempts == 1)
    }

    @Test func `a rehearsal knows no fallback`() async throws {
        let shop = try Shop()
        try shop.refuse(new: .status(403))
        let environment = try shop.bench.environment()
        let verdict = await shop.desk.rehearse(
            shop.new, as: try shop.bench.merchant(environments: [environment]),
            domain: try DomainName(SessionBench.domain), at: environment)
        #expect(verdict == .failed(.certificateRefused(how: "HTTP 403")))
        #expect(shop.due.withLock { $0 }.isEmpty)
    }
}
