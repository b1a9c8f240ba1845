import AppleSimulator
import Glibc
import Locks
import Merchants
import SessionSupport
import Testing

@testable import Sessions

/// More than can be done: refused at once, and nobody else's matter.
@Suite struct FloodTests {
    @Test func `one merchant's flood against a silent gateway leaves the others alone`()
        async throws
    {
        let (stuck, bench) = (try SessionBench(), try SessionBench())
        defer { withExtendedLifetime((stuck, bench)) {} }
        let other = "merchant.com.example.other"
        try bench.apple.portal.register(other, domains: ["other.example.com"])
        let environment = try stuck.environment("stuck")
        let flooded = Roster.Entry(
            merchant: try stuck.merchant(environments: [environment]),
            domains: [try DomainName(SessionBench.domain)], environments: [environment],
            identity: .ready(try stuck.identity()))
        let quiet = try bench.entry(
            other, domain: "other.example.com", as: try bench.identity(of: other))
        var budget = SessionDesk.Budget(connect: .seconds(2), total: .seconds(2))
        budget.inFlight = 200
        for act in [RudeAct.neverAnswer, .ignoreHandshake] {
            stuck.apple.rudeness = Rudeness(acts: [act: .always])
            let desk = SessionDesk(
                roster: SessionBench.roster(flooded, quiet), loops: [bench.loop], budget: budget)
            try await flood(desk, beside: try SessionBench.order(domain: "other.example.com"))
            // The room is free again.
            stuck.apple.rudeness = .none
            _ = try await desk.session(for: try SessionBench.order())
            desk.close()
        }
    }

    /// Asks for 600 sessions that nobody answers, and for fifty of another merchant meanwhile.
    private func flood(_ desk: SessionDesk, beside order: SessionOrder) async throws {
        let refused = Locked<[Duration]>([])
        let late = Locked(0)
        let flood = try SessionBench.order()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<600 {
                group.addTask {
                    let start = ContinuousClock.now
                    do throws(SessionError) {
                        _ = try await desk.session(for: flood)
                    } catch .overloaded {
                        refused.withLock { $0.append(ContinuousClock.now - start) }
                    } catch {
                        late.withLock { $0 += 1 }
                    }
                }
            }
            try await Task.sleep(for: .milliseconds(300))
            // Half of the room is the flood's; what is more has been told so already.
            #expect(refused.withLock { $0.count } == 500)
            // Its first connection waits for its turn among those that lead nowhere.
            for _ in 0..<50 { #expect(try await desk.session(for: order).attempts == 1) }
            try await group.waitForAll()
        }
        #expect(late.withLock { $0 } == 100)
        #expect(refused.withLock { $0.max() ?? .zero } < .milliseconds(500))
    }

    // A sanitizer takes the time and the processor that are measured here.
    @Test(.enabled(if: getenv("PURSER_SANITIZED") == nil))
    func `connections that end while they are idle fail no request, and cost hardly a retry`()
        async throws
    {
        let bench = try SessionBench {
            $0.rudeness.idleCloseMilliseconds = 15
            $0.rudeness.acts = [.closeUnannounced: .probability(0.2)]
        }
        let desk = try bench.desk()
        let retries = Locked(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<60 {
                        let session = try await desk.session(for: try SessionBench.order())
                        if session.attempts > 1 { retries.withLock { $0 += 1 } }
                        try await Task.sleep(for: .milliseconds(.random(in: 0...30)))
                    }
                }
            }
            try await group.waitForAll()
        }
        // One that the gateway closes at the very moment of a request cannot be told before.
        #expect(retries.withLock { $0 } <= 10)
    }
}
