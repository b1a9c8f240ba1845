import Glibc
import Testing

@testable import Daemon

@Suite struct TerminationSignalsTests {
    @Test func `the first request to end drains, every other one stops`() {
        var order = SignalOrder()
        let events = [SIGHUP, SIGTERM, SIGHUP, SIGINT, SIGTERM].map { order.event(for: $0) }
        #expect(events == [.reload, .drain, .reload, .stop, .stop])
    }

    @Test func `signals become events and end nothing`() async {
        // In a process of its own: a signal that is missed ends it.
        await #expect(processExitsWith: .exitCode(7)) {
            let signals = await TerminationSignals()
            var events = signals.events.makeAsyncIterator()
            for (number, event) in [
                (SIGHUP, TerminationSignals.Event.reload), (SIGTERM, .drain), (SIGINT, .stop),
            ] {
                kill(getpid(), number)
                guard await events.next() == event else { exit(1) }
            }
            exit(7)
        }
    }

    @Test func `writing to a closed connection fails and does not end the process`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            BrokenPipes.ignore()
            var ends: [Int32] = [0, 0]
            guard pipe(&ends) == 0 else { exit(1) }
            close(ends[0])
            exit(write(ends[1], "x", 1) == -1 && errno == EPIPE ? 7 : 2)
        }
    }

    @Test func `the limit of open files is raised to what is allowed`() {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #expect(OpenFiles.raiseLimit() == Int(clamping: limit.rlim_max))
    }
}
