import Glibc
import TestSupport
import Testing

@testable import Transfers

/// Cancellation, limits, closing, stopping.
@Suite struct LifeTests {
    let authority: TestAuthority
    let gateway: TestGateway

    init() async throws {
        authority = try TestAuthority()
        gateway = try await TestGateway(authority, clients: nil)
    }

    private func configuration(
        _ change: (inout PoolConfiguration) -> Void = { _ in }
    ) -> PoolConfiguration {
        var configuration = PoolConfiguration(identity: nil, trust: authority.trust)
        change(&configuration)
        return configuration
    }

    @Test func `a cancelled request ends at once`() async throws {
        let loop = try TransferLoop()
        let pool = loop.pool(configuration())
        let request = TransferRequest(.get, gateway.url("/slow/8000"))
        let task = Task { try await pool.send(request) }
        _ = try await BackgroundProcess.wait(seconds: 10) { try !gateway.lines().isEmpty }
        let took = await ContinuousClock().measure {
            task.cancel()
            await #expect(throws: TransferError.cancelled) { try await task.value }
        }
        #expect(took < .seconds(2))
        // The pool is as good as before.
        #expect(try await pool.send(TransferRequest(.get, gateway.url("/echo"))).status == 200)
    }

    @Test func `cancelling at any instant resumes every caller once`() async throws {
        let loop = try TransferLoop()
        let pool = loop.pool(configuration { $0.maximumConnections = 4 })
        let request = TransferRequest(.get, gateway.url("/echo"))
        var ends: [String: Int] = [:]
        try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<300 {
                group.addTask {
                    let task = Task { try await pool.send(request) }
                    if number % 3 > 0 {
                        try await Task.sleep(for: .microseconds(number % 50 * 100))
                        task.cancel()
                    }
                    do {
                        return "\(try await task.value.status)"
                    } catch let error as TransferError {
                        return error.code
                    }
                }
            }
            for try await end in group { ends[end, default: 0] += 1 }
        }
        #expect(Set(ends.keys).isSubset(of: ["200", "transfer.cancelled"]))
        #expect(ends.values.reduce(0, +) == 300)
        #expect(ends["200", default: 0] >= 100)
    }

    @Test func `a task cancelled before sends nothing`() async throws {
        let loop = try TransferLoop()
        let pool = loop.pool(configuration())
        let request = TransferRequest(.get, gateway.url("/echo"))
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await pool.send(request)
        }
        await #expect(throws: TransferError.cancelled) { try await task.value }
        #expect(try gateway.lines().isEmpty)
    }

    @Test func `more requests than connections wait their turn, and no more than allowed`()
        async throws
    {
        let loop = try TransferLoop()
        let pool = loop.pool(
            configuration {
                $0.maximumConnections = 2
                $0.maximumWaiting = 4
            })
        let request = TransferRequest(.get, gateway.url("/slow/200"))
        var ends: [String: Int] = [:]
        var waited = Duration.zero
        await withTaskGroup(of: Result<TransferResponse, TransferError>.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    do throws(TransferError) {
                        return .success(try await pool.send(request))
                    } catch {
                        return .failure(error)
                    }
                }
            }
            for await end in group {
                switch end {
                case .success(let response):
                    ends["\(response.status)", default: 0] += 1
                    waited = max(waited, response.timings.waited)
                case .failure(let error): ends[error.code, default: 0] += 1
                }
            }
        }
        #expect(ends == ["200": 6, "transfer.overloaded": 4])
        #expect(waited > .milliseconds(300))
        #expect(Set(try gateway.lines().map(\.connection)).count <= 2)
    }

    @Test func `a request that waits too long is given up unsent`() async throws {
        let loop = try TransferLoop()
        let pool = loop.pool(configuration { $0.maximumConnections = 1 })
        let long = TransferRequest(.get, gateway.url("/slow/1500"))
        let first = Task { try await pool.send(long) }
        _ = try await BackgroundProcess.wait(seconds: 10) { try !gateway.lines().isEmpty }
        let short = TransferRequest(
            .get, gateway.url("/echo"), timeLimit: .milliseconds(100))
        await #expect(throws: TransferError.waitedTooLong) { try await pool.send(short) }
        #expect(try await first.value.status == 200)
        #expect(try gateway.lines().count == 1)
    }

    @Test func `a pool uses several multis and no more connections than allowed`() async throws {
        let loop = try TransferLoop(maximumOpenings: 8)
        let pool = loop.pool(configuration { $0.maximumConnections = 100 })
        let request = TransferRequest(.get, gateway.url("/slow/300"))
        for _ in 0..<2 {
            try await withThrowingTaskGroup { group in
                for _ in 0..<200 {
                    group.addTask { _ = try await pool.send(request) }
                }
                try await group.waitForAll()
            }
        }
        let connections = Set(try gateway.lines().map(\.connection)).count
        #expect(connections > 64 && connections <= 100)
    }

    @Test func `a pool that wants many connections does not starve another`() async throws {
        let loop = try TransferLoop(maximumOpenings: 2)
        let greedy = loop.pool(configuration())
        let modest = loop.pool(configuration())
        // A connection for each of them.
        let request = TransferRequest(.post, gateway.url("/farewell"))
        let flood = (0..<200).map { _ in Task { try await greedy.send(request) } }
        _ = try await BackgroundProcess.wait(seconds: 10) { try gateway.lines().count > 10 }
        let before = try gateway.lines().count
        _ = try await modest.send(TransferRequest(.post, gateway.url("/echo/modest")))
        let paths = try gateway.lines().map(\.path)
        let place = try #require(paths.firstIndex(of: "/echo/modest"))
        #expect(place - before < 60)
        for task in flood { #expect(try await task.value.status == 200) }
    }

    @Test func `a host that does not accept keeps nobody from another`() async throws {
        let listener = try Listener(backlog: 0)
        listener.fill()
        let loop = try TransferLoop(maximumOpenings: 1)
        let stuck = loop.pool(configuration { $0.connectTimeout = .seconds(8) })
        let request = TransferRequest(.get, "https://127.0.0.1:\(listener.port)/")
        let tasks = (0..<3).map { _ in Task { try await stuck.send(request) } }
        let took = try await ContinuousClock().measure {
            let pool = loop.pool(configuration())
            _ = try await pool.send(TransferRequest(.get, gateway.url("/echo")))
        }
        #expect(took < .seconds(4))
        for task in tasks { task.cancel() }
        for task in tasks {
            await #expect(throws: TransferError.cancelled) { try await task.value }
        }
    }

    @Test func `a closed pool refuses, and finishes what it accepted`() async throws {
        let loop = try TransferLoop()
        let pool = loop.pool(configuration { $0.maximumConnections = 1 })
        let slow = TransferRequest(.get, gateway.url("/slow/300"))
        async let first = pool.send(slow)
        async let second = pool.send(slow)
        _ = try await BackgroundProcess.wait(seconds: 10) { try !gateway.lines().isEmpty }
        pool.close()
        await #expect(throws: TransferError.poolClosed) { try await pool.send(slow) }
        #expect(try await first.status == 200)
        #expect(try await second.status == 200)
        pool.close()
        await #expect(throws: TransferError.poolClosed) { try await pool.send(slow) }
    }

    @Test func `stopping fails what is under way and what waits`() async throws {
        let loop = try TransferLoop()
        let pool = loop.pool(configuration { $0.maximumConnections = 2 })
        let slow = TransferRequest(.get, gateway.url("/slow/8000"))
        let tasks = (0..<10).map { _ in Task { try await pool.send(slow) } }
        _ = try await BackgroundProcess.wait(seconds: 10) { try gateway.lines().count == 2 }
        async let again: Void = loop.shutDown()
        await loop.shutDown()
        await again
        for task in tasks {
            await #expect(throws: TransferError.shutDown) { try await task.value }
        }
        await #expect(throws: TransferError.shutDown) { try await pool.send(slow) }
        await loop.shutDown()
    }
}
