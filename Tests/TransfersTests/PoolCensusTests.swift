import TestSupport
import Testing

@testable import Transfers

/// What the pools of a loop say of themselves.
@Suite struct PoolCensusTests {
    @Test func `connections are busy, then idle, and requests wait for them`() async throws {
        let authority = try TestAuthority()
        let loop = try TransferLoop()
        let gateway = try await TestGateway(authority, clients: authority)
        #expect(await loop.census() == PoolCensus())
        var configuration = PoolConfiguration(
            identity: try authority.client("merchant.com.example.a"), trust: authority.trust)
        configuration.maximumConnections = 2
        let pool = loop.pool(configuration)
        let slow = TransferRequest(.post, gateway.url("/slow/300"))
        let requests = (0..<5).map { _ in Task { try await pool.send(slow) } }
        var seen = PoolCensus()
        for _ in 0..<200 where seen.waiting < 3 {
            try await Task.sleep(for: .milliseconds(5))
            seen = await loop.census()
        }
        #expect(seen.pools == 1 && seen.busy == 2 && seen.waiting == 3)
        for request in requests { _ = try await request.value }
        let after = await loop.census()
        #expect(after.busy == 0 && after.idle == 2 && after.waiting == 0)
        await loop.shutDown()
        #expect(await loop.census() == PoolCensus())
    }
}
