import AppleSimulator
import Merchants
import SessionSupport
import Testing

@testable import Sessions

/// Rehearsals against the stand-in's gateway.
@Suite struct RehearsalTests {
    /// What a rehearsal of `identity` says of the shop at `domain`.
    private func verdict(
        _ bench: SessionBench, _ identity: ActiveIdentity, domain: String = SessionBench.domain,
        gateway: String? = nil, desk: SessionDesk? = nil
    ) async throws -> RehearsalVerdict {
        let environment = try bench.environment(gateway: gateway)
        let desk = desk ?? SessionDesk(roster: Roster([], known: []), loop: bench.loop)
        return await desk.rehearse(
            identity, as: try bench.merchant(environments: [environment]),
            domain: try DomainName(domain), at: environment)
    }

    @Test func `a good identity is proven, on a connection of its own`() async throws {
        let bench = try SessionBench()
        let desk = try bench.desk()
        _ = try await desk.session(for: try SessionBench.order())
        let spare = try bench.identity()
        #expect(try await verdict(bench, spare, desk: desk) == .proven)
        // What serves goes on as if nothing had been.
        #expect(try await desk.session(for: try SessionBench.order()).connectionReused)
        let connections = bench.apple.log.records.map(\.connection)
        #expect(connections[0] != connections[1] && connections[0] == connections[2])
    }

    @Test func `an unregistered domain or an inactive merchant leaves it incomplete`() async throws
    {
        let bench = try SessionBench { $0.requiresActiveProcessing = true }
        let identity = try bench.identity()
        guard
            case .incomplete(.domainRefused(let said)) = try await verdict(
                bench, identity, domain: "other.example.com")
        else {
            Issue.record("the domain was not refused")
            return
        }
        #expect(said.contains(SessionBench.shop) && said.contains("other.example.com"))
        guard case .incomplete(.merchantIncomplete) = try await verdict(bench, identity) else {
            Issue.record("the merchant was not told to be incomplete")
            return
        }
    }

    @Test func `a revoked or foreign identity fails`() async throws {
        let bench = try SessionBench()
        let revoked = try bench.identity()
        let serial = try #require(bench.apple.portal.certificates().last?.serialNumber)
        try bench.apple.portal.revoke(serialNumber: serial)
        guard case .failed = try await verdict(bench, revoked) else {
            Issue.record("a revoked identity was not refused")
            return
        }
        let foreign = try bench.identity(faults: [.unknownIssuer])
        guard case .failed = try await verdict(bench, foreign) else {
            Issue.record("a foreign identity was not refused")
            return
        }
    }

    @Test func `a gateway that is not there says nothing`() async throws {
        let bench = try SessionBench()
        let identity = try bench.identity()
        // The address is the portal's, which is then stopped with all the rest.
        let gone = bench.apple.portalURL
        bench.apple.stop()
        let told = try await verdict(bench, identity, gateway: gone)
        #expect(told == .inconclusive(.unreachable(gone)))
    }
}
