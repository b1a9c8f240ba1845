internal import CLinux
internal import Glibc

/// A thread that this program owns: it runs one function to its end and can be joined.
///
/// Blocking C belongs here and not on the cooperative pool, which has as many threads as cores.
package final class OwnedThread: Sendable {
    private let thread: pthread_t
    private let fate: ThreadFate

    /// Starts a thread named `name` (15 bytes at most are kept) that runs `body` and ends.
    package init(name: String, _ body: @escaping @Sendable () -> Void) {
        let fate = ThreadFate()
        let start = unsafe Unmanaged.passRetained(
            ThreadStart(name: name, body: body, fate: fate))
        var thread = pthread_t()
        let status = unsafe pthread_create(&thread, nil, runOwnedThread, start.toOpaque())
        precondition(status == 0, "pthread_create: \(status)")
        self.thread = thread
        self.fate = fate
    }

    /// Waits for the thread's end; call it exactly once, or ``detach()`` exactly once.
    package func join() {
        _ = pthread_join(thread, nil)
    }

    /// Lets the thread end by itself; ``joinDetached(within:)`` waits for it.
    package func detach() {
        fate.detach(thread)
    }

    /// Waits for the threads that were let go, `limit` at most; last thing before a program ends.
    ///
    /// A thread that still ends while the process does would run into what libraries take down
    /// then. One that never ends is left alone after `limit`.
    package static func joinDetached(within limit: Duration) {
        let deadline = ContinuousClock.now + limit
        while true {
            DetachedThreads.joinEnded()
            guard DetachedThreads.remain, ContinuousClock.now < deadline else { return }
            usleep(200)
        }
    }
}

/// The threads that were let go and have not been joined yet.
private enum DetachedThreads {
    private struct State {
        var running = 0
        /// Those whose function has returned: joining them takes no time.
        var ended: [pthread_t] = []
    }

    private static let state: Locked<State> = {
        // For programs that end without having asked, as tests do.
        atexit(joinDetachedAtExit)
        return Locked(State())
    }()

    /// Whether any runs or waits to be joined, at one moment: one may just have ended.
    static var remain: Bool { state.withLock { $0.running > 0 || !$0.ended.isEmpty } }

    static func begin() {
        state.withLock { $0.running += 1 }
        // A program that runs for years must not collect them.
        joinEnded()
    }

    static func end(_ thread: pthread_t) {
        state.withLock {
            $0.running -= 1
            $0.ended.append(thread)
        }
    }

    static func joinEnded() {
        let ended = state.withLock { state in
            defer { state.ended = [] }
            return state.ended
        }
        for thread in ended { _ = pthread_join(thread, nil) }
    }
}

private func joinDetachedAtExit() {
    OwnedThread.joinDetached(within: .seconds(1))
}

/// Whether a thread has ended and was let go, in either order.
private final class ThreadFate: Sendable {
    private enum State {
        case running
        case letGo
        case ended
    }

    private let state = Locked(State.running)

    func detach(_ thread: pthread_t) {
        DetachedThreads.begin()
        let hasEnded = state.withLock { state in
            defer { if state == .running { state = .letGo } }
            return state == .ended
        }
        if hasEnded { DetachedThreads.end(thread) }
    }

    /// Called by the thread itself, last.
    func end() {
        let wasLetGo = state.withLock { state in
            defer { state = .ended }
            return state == .letGo
        }
        if wasLetGo { DetachedThreads.end(pthread_self()) }
    }
}

private final class ThreadStart {
    let name: String
    let body: @Sendable () -> Void
    let fate: ThreadFate

    init(name: String, body: @escaping @Sendable () -> Void, fate: ThreadFate) {
        self.name = String(name.prefix(15))
        self.body = body
        self.fate = fate
    }
}

// A top-level function: a closure here could inherit an actor's isolation and trap.
private func runOwnedThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument = unsafe argument else { return nil }
    let fate = unsafe runThread(argument)
    fate.end()
    return nil
}

/// Runs a thread's function, and lets go of all that it held.
private func runThread(_ argument: UnsafeMutableRawPointer) -> ThreadFate {
    let start = unsafe Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue()
    _ = unsafe start.name.withCString { unsafe purser_set_thread_name($0) }
    start.body()
    return start.fate
}
