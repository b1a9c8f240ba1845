import TestSupport
import Testing

@testable import Transfers

/// Which connection and which TLS session a request travels on.
@Suite struct ConnectionReuseTests {
    let authority: TestAuthority
    let loop: TransferLoop

    init() throws {
        authority = try TestAuthority()
        loop = try TransferLoop()
    }

    private func pool(_ merchant: String) throws -> ConnectionPool {
        loop.pool(
            PoolConfiguration(identity: try authority.client(merchant), trust: authority.trust))
    }

    @Test func `requests in sequence use one connection`() async throws {
        let gateway = try await TestGateway(authority, clients: authority)
        let pool = try pool("merchant.com.example.a")
        var ports: Set<Int> = []
        for number in 0..<20 {
            let response = try await pool.send(TransferRequest(.post, gateway.url("/echo")))
            #expect(response.connectionReused == (number > 0))
            ports.insert(response.localPort)
        }
        #expect(ports.count == 1)
        #expect(Set(try gateway.lines().map(\.connection)).count == 1)
    }

    @Test func `an answer that nobody asked for is nobody's`() async throws {
        let gateway = try await TestGateway(authority, clients: authority)
        var configuration = PoolConfiguration(
            identity: try authority.client("merchant.com.example.a"), trust: authority.trust)
        // Some wait for a connection, and go on one as soon as its answer has come.
        configuration.maximumConnections = 3
        let pool = loop.pool(configuration)
        try await withThrowingTaskGroup { group in
            for number in 0..<120 {
                group.addTask {
                    let request = TransferRequest(
                        .post, gateway.url("/twice"), body: Array("\(number)".utf8))
                    let response = try await sendAsACallerWould(request, over: pool)
                    #expect(response.body == request.body)
                }
            }
            try await group.waitForAll()
        }
    }

    @Test(arguments: ["1.2", "1.3"])
    func `a connection on which the server spoke while it was idle is not used again`(
        version: String
    ) async throws {
        let gateway = try await TestGateway(authority, clients: authority, ["--only", version])
        let pool = try pool("merchant.com.example.a")
        for round in 0..<5 {
            let first = TransferRequest(
                .post, gateway.url("/afterthought/20"), body: Array("first \(round)".utf8))
            #expect(try await pool.send(first).body == first.body)
            try await Task.sleep(for: .milliseconds(200))
            // It would be told "unasked", and everybody after it the answer to the one before.
            for number in 0..<2 {
                let next = TransferRequest(
                    .post, gateway.url("/echo"), body: Array("next \(round).\(number)".utf8))
                let response = try await pool.send(next)
                #expect(response.body == next.body)
                #expect(response.connectionReused == (number > 0))
            }
        }
        // One for each afterthought, which the echoes before it have left fit for use, and the last.
        #expect(Set(try gateway.lines().map(\.connection)) == Set(1...6))
    }

    @Test(arguments: ["1.2", "1.3"])
    func `a new connection resumes the pool's TLS session`(version: String) async throws {
        let gateway = try await TestGateway(authority, clients: authority, ["--only", version])
        let pool = try pool("merchant.com.example.a")
        for _ in 0..<4 {
            let response = try await pool.send(TransferRequest(.post, gateway.url("/farewell")))
            #expect(!response.connectionReused)
        }
        let lines = try gateway.lines()
        #expect(lines.map(\.connection) == [1, 2, 3, 4])
        #expect(lines.map(\.resumed) == [false, true, true, true])
        #expect(lines.allSatisfy { $0.subject == "merchant.com.example.a" })
    }

    @Test func `two pools with one identity share neither connections nor sessions`() async throws {
        let gateway = try await TestGateway(authority, clients: authority)
        let identity = try authority.client("merchant.com.example.a")
        let configuration = PoolConfiguration(identity: identity, trust: authority.trust)
        let pools = [loop.pool(configuration), loop.pool(configuration)]
        for pool in pools {
            let response = try await pool.send(TransferRequest(.post, gateway.url("/echo")))
            #expect(!response.connectionReused)
        }
        #expect(try gateway.lines().map(\.resumed) == [false, false])
    }

    @Test func `ten merchants in turn never meet on a connection or a session`() async throws {
        // The server leaves after every fifth answer or so.
        let gateway = try await TestGateway(authority, clients: authority, ["--leave", "0.2"])
        let merchants = (0..<10).map { "merchant.com.example.shop\($0)" }
        let identities = try merchants.map { try authority.client($0) }
        let pools = identities.map {
            loop.pool(PoolConfiguration(identity: $0, trust: authority.trust))
        }
        try await withThrowingTaskGroup { group in
            for worker in 0..<4 {
                group.addTask {
                    for round in 0..<250 {
                        let index = (round + worker) % pools.count
                        let request = TransferRequest(
                            .post, gateway.url("/echo/\(merchants[index])"),
                            body: Array(merchants[index].utf8))
                        let response = try await sendAsACallerWould(request, over: pools[index])
                        #expect(response.body == request.body)
                    }
                }
            }
            try await group.waitForAll()
        }
        let lines = try gateway.lines()
        #expect(lines.count >= 1000)
        #expect(lines.allSatisfy { $0.path == "/echo/\($0.subject ?? "")" })
        // One merchant's certificate for each connection, and for each resumed one too.
        let byConnection = Dictionary(grouping: lines, by: \.connection)
        #expect(byConnection.values.allSatisfy { Set($0.map(\.serial)).count == 1 })
        #expect(byConnection.count > 100)
        #expect(lines.contains { $0.resumed == true })
        #expect(Set(lines.map(\.serial)).count == 10)
    }

    @Test func `a server that closes after each answer costs no request`() async throws {
        let gateway = try await TestGateway(authority, clients: authority)
        let pool = try pool("merchant.com.example.a")
        for _ in 0..<100 {
            let response = try await sendAsACallerWould(
                TransferRequest(.post, gateway.url("/close"), body: [1, 2, 3]), over: pool)
            #expect(response.body == [1, 2, 3])
        }
    }

    @Test func `a connection that the server closed while idle is not used again`() async throws {
        let gateway = try await TestGateway(authority, clients: authority)
        let pool = try pool("merchant.com.example.a")
        for _ in 0..<10 {
            _ = try await pool.send(TransferRequest(.post, gateway.url("/idle/20")))
            try await Task.sleep(for: .milliseconds(60))
            let next = try await pool.send(TransferRequest(.post, gateway.url("/farewell")))
            #expect(!next.connectionReused)
        }
    }

    @Test func `a request is never sent twice by the library`() async throws {
        let gateway = try await TestGateway(authority, clients: authority)
        let pool = try pool("merchant.com.example.a")
        // Three kept connections, so that there would be others to try.
        try await withThrowingTaskGroup { group in
            for _ in 0..<3 {
                group.addTask {
                    _ = try await pool.send(TransferRequest(.post, gateway.url("/slow/100")))
                }
            }
            try await group.waitForAll()
        }
        await #expect(throws: TransferError.closedBeforeAnswer(connectionReused: true)) {
            try await pool.send(TransferRequest(.post, gateway.url("/silence/kept")))
        }
        #expect(try gateway.lines().filter { $0.path == "/silence/kept" }.count == 1)
        // With one kept connection alone, a new one would have to be opened.
        let fresh = try self.pool("merchant.com.example.b")
        _ = try await fresh.send(TransferRequest(.post, gateway.url("/echo")))
        await #expect(throws: TransferError.closedBeforeAnswer(connectionReused: true)) {
            try await fresh.send(TransferRequest(.post, gateway.url("/silence/alone")))
        }
        #expect(try gateway.lines().filter { $0.path == "/silence/alone" }.count == 1)
        await #expect(throws: TransferError.closedBeforeAnswer(connectionReused: false)) {
            try await fresh.send(TransferRequest(.post, gateway.url("/silence/first")))
        }
    }

    @Test func `a request can demand a new connection`() async throws {
        let gateway = try await TestGateway(authority, clients: authority)
        let pool = try pool("merchant.com.example.a")
        var request = TransferRequest(.post, gateway.url("/echo"))
        for isNew in [false, true, true, false] {
            request.onNewConnection = isNew
            _ = try await pool.send(request)
        }
        #expect(try gateway.lines().map(\.connection).prefix(3) == [1, 2, 3])
        #expect(Set(try gateway.lines().map(\.connection)).count == 3)
    }

    @Test func `idle connections are closed after their time, and the session stays`() async throws
    {
        let gateway = try await TestGateway(authority, clients: authority)
        var configuration = PoolConfiguration(
            identity: try authority.client("merchant.com.example.a"), trust: authority.trust)
        configuration.idleLifetime = .milliseconds(200)
        let pool = loop.pool(configuration)
        _ = try await pool.send(TransferRequest(.post, gateway.url("/echo")))
        try await Task.sleep(for: .milliseconds(500))
        let response = try await pool.send(TransferRequest(.post, gateway.url("/echo")))
        #expect(!response.connectionReused)
        #expect(try gateway.lines().map(\.resumed) == [false, true])
    }
}

/// Sends once more when a kept connection ended without an answer, as the one retry of a session is.
func sendAsACallerWould(
    _ request: TransferRequest, over pool: ConnectionPool
) async throws(TransferError) -> TransferResponse {
    do throws(TransferError) {
        return try await pool.send(request)
    } catch .closedBeforeAnswer(connectionReused: true) {
        var again = request
        again.onNewConnection = true
        return try await pool.send(again)
    }
}
