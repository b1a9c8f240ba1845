import CLinux
import EventLoops
import Glibc
import Locks
import TestSupport
import Testing

@testable import Transfers

/// What happens when several things are waiting for the loop at once, as they are under load.
@Suite struct PausedLoopTests {
    /// A loop that can be held up.
    private final class PausedLoop: Sendable {
        let mailbox: Mailbox
        private let loop: EventLoop
        private let isPaused = Locked(false)

        init() throws {
            try #require(libraryIsStarted)
            loop = try #require(EventLoop(name: "paused-loop"))
            let bell = loop.makeDoorbell()
            let mailbox = Mailbox(bell)
            self.mailbox = mailbox
            let isHosted = loop.host(bell) {
                TransferEngine(
                    mailbox: mailbox, epoll: epoll_create1(Int32(EPOLL_CLOEXEC)),
                    maximumOpenings: 32)
            }
            try #require(isHosted)
        }

        /// Returns when no turn is under way any more.
        func pause() async throws {
            isPaused.withLock { $0 = true }
            let hasStopped = Locked(false)
            loop.perform { [isPaused] in
                hasStopped.withLock { $0 = true }
                while isPaused.withLock({ $0 }) { usleep(1_000) }
            }
            while !hasStopped.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
        }

        func resume() { isPaused.withLock { $0 = false } }

        func end() async {
            resume()
            await loop.shutDown()
        }

        /// Sends as ``ConnectionPool/send(_:)`` does; `posted` is called when the loop can see it.
        func send(
            _ request: TransferRequest, over pool: UInt64,
            posted: @Sendable () -> Void = {}
        ) async throws -> TransferResponse {
            try await withCheckedContinuation { (caller: Submission.Caller) in
                _ = mailbox.post(
                    .submit(
                        Submission(
                            number: mailbox.nextNumber(), pool: pool, request: request,
                            submitted: .now(), caller: caller)))
                posted()
            }.get()
        }
    }

    @Test func `an answer that comes with a surplus and a new request leads none astray`()
        async throws
    {
        let authority = try TestAuthority()
        let gateway = try await TestGateway(authority, clients: authority)
        let loop = try PausedLoop()
        let pool = loop.mailbox.nextNumber()
        _ = loop.mailbox.post(
            .open(
                pool: pool,
                PoolConfiguration(
                    identity: try authority.client("merchant.com.example.a"),
                    trust: authority.trust)))
        for round in 0..<10 {
            // Two idle connections, so that a new request finds one even before the loop has counted
            // the other as idle: which of them libcurl takes is its own affair.
            try await withThrowingTaskGroup { group in
                for _ in 0..<2 {
                    group.addTask {
                        _ = try await loop.send(
                            TransferRequest(.post, gateway.url("/slow/50")), over: pool)
                    }
                }
                try await group.waitForAll()
            }
            let url = gateway.url("/twice/100")
            async let twice = loop.send(
                TransferRequest(.post, url, body: Array("twice \(round)".utf8)), over: pool)
            try await Task.sleep(for: .milliseconds(50))
            try await loop.pause()
            // Now the answer and what follows it come, and the next request: one turn finds all.
            try await Task.sleep(for: .milliseconds(150))
            let next = TransferRequest(
                .post, gateway.url("/echo"), body: Array("next \(round)".utf8))
            async let answer = loop.send(next, over: pool, posted: { loop.resume() })
            #expect(try await twice.body == Array("twice \(round)".utf8))
            #expect(try await answer.body == next.body)
        }
        await loop.end()
    }
}
