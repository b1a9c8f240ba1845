internal import CLinux
internal import Glibc

/// A thread that this program owns: it runs one function to its end and can be joined.
///
/// Blocking C belongs here and not on the cooperative pool, which has as many threads as cores.
package final class OwnedThread: Sendable {
    private let thread: pthread_t

    /// Starts a thread named `name` (15 bytes at most are kept) that runs `body` and ends.
    package init(name: String, _ body: @escaping @Sendable () -> Void) {
        let start = unsafe Unmanaged.passRetained(ThreadStart(name: name, body: body))
        var thread = pthread_t()
        let status = unsafe pthread_create(&thread, nil, runOwnedThread, start.toOpaque())
        precondition(status == 0, "pthread_create: \(status)")
        self.thread = thread
    }

    /// Waits for the thread's end; call it exactly once, or ``detach()`` exactly once.
    package func join() {
        _ = pthread_join(thread, nil)
    }

    /// Lets the thread's resources be freed when it ends by itself.
    package func detach() {
        _ = pthread_detach(thread)
    }
}

private final class ThreadStart {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = String(name.prefix(15))
        self.body = body
    }
}

// A top-level function: a closure here could inherit an actor's isolation and trap.
private func runOwnedThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument = unsafe argument else { return nil }
    let start = unsafe Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue()
    _ = unsafe start.name.withCString { unsafe purser_set_thread_name($0) }
    start.body()
    return nil
}
