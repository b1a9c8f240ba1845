import CLinux
import Glibc
import Locks
import TestSupport
import Testing

@testable import Transfers

/// What happens when several things are waiting for the loop at once, as they are under load.
@Suite struct PausedLoopTests {
    /// The loop on a thread of the test's, which can be held up.
    private final class PausedLoop: Sendable {
        private enum State { case running, pausing, paused, ending }

        let mailbox: Mailbox
        private let state: Locked<State>
        private let thread: OwnedThread

        init() throws {
            try #require(libraryIsStarted)
            let mailbox = try Mailbox()
            let state = Locked(State.running)
            self.mailbox = mailbox
            self.state = state
            thread = OwnedThread(name: "paused-loop") {
                let engine = TransferEngine(
                    mailbox: mailbox, epoll: epoll_create1(Int32(EPOLL_CLOEXEC)),
                    maximumOpenings: 32)
                while true {
                    switch state.withLock({ $0 }) {
                    case .running: _ = engine.turn(waitingAtMost: .milliseconds(1))
                    case .pausing: state.withLock { $0 = .paused }
                    case .paused: usleep(1_000)
                    case .ending:
                        _ = mailbox.post(.stop)
                        while engine.turn(waitingAtMost: nil) {}
                        return
                    }
                }
            }
        }

        /// Returns when no turn is under way any more.
        func pause() async throws {
            state.withLock { $0 = .pausing }
            while state.withLock({ $0 == .pausing }) { try await Task.sleep(for: .milliseconds(1)) }
        }

        func resume() { state.withLock { $0 = .running } }

        func end() {
            state.withLock { $0 = .ending }
            thread.join()
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
        defer { loop.end() }
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
    }
}
