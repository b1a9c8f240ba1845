import AppleSimulator
import Locks
import Merchants
import SessionSupport
import Testing

@testable import Sessions

/// More than can be done: refused at once, and nobody else's matter.
@Suite struct FloodTests {
    @Test(arguments: [RudeAct.neverAnswer, .ignoreHandshake])
    func `one merchant's flood against a silent gateway leaves the others alone`(
        act: RudeAct
    ) async throws {
        let stuck = try SessionBench { $0.rudeness.acts = [act: .always] }
        let bench = try SessionBench()
        let other = "merchant.com.example.other"
        try bench.apple.portal.register(other, domains: ["other.example.com"])
        let flooded = Roster.Entry(
            merchant: try stuck.merchant(environments: [try stuck.environment("stuck")]),
            domains: [try DomainName(SessionBench.domain)],
            environments: [try stuck.environment("stuck")],
            identity: .ready(try stuck.identity()))
        let quiet = try bench.entry(
            other, domain: "other.example.com", as: try bench.identity(of: other))
        var budget = SessionDesk.Budget(connect: .seconds(2), total: .seconds(2))
        budget.inFlight = 200
        let desk = SessionDesk(
            roster: SessionBench.roster(flooded, quiet), loops: [bench.loop], budget: budget)
        let order = try SessionBench.order(domain: "other.example.com")
        let refused = Locked<[Duration]>([])
        let late = Locked(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<600 {
                group.addTask {
                    let start = ContinuousClock.now
                    do throws(SessionError) {
                        _ = try await desk.session(for: try! SessionBench.order())
                    } catch .overloaded {
                        let took = ContinuousClock.now - start
                        refused.withLock { $0.append(took) }
                    } catch {
                        late.withLock { $0 += 1 }
                    }
                }
            }
            try await Task.sleep(for: .milliseconds(300))
            // Half of the room is the flood's; what is more has been told so already.
            #expect(refused.withLock { $0.count } == 500)
            let start = ContinuousClock.now
            for _ in 0..<50 {
                let session = try await desk.session(for: order)
                #expect(session.attempts == 1)
            }
            // Its first connection waits for its turn among those that lead nowhere.
            #expect(ContinuousClock.now - start < .seconds(1.5))
            try await group.waitForAll()
        }
        #expect(late.withLock { $0 } == 100)
        #expect(refused.withLock { $0.max() ?? .zero } < .milliseconds(250))
        // The room is free again.
        stuck.apple.rudeness = .none
        _ = try await desk.session(for: try SessionBench.order())
    }

    @Test func `connections that end while they are idle fail no request, and cost hardly a retry`()
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
