internal import CLinux
internal import Glibc
internal import Locks

/// A thread with one epoll(7): the sockets of its guests, and tasks that prefer to run between them.
///
/// A server and a client that live on the same loop hand each other their work without a switch of
/// threads and nearly without system calls. Everything on it must be short and must not wait: what
/// blocks has a thread of its own.
package final class EventLoop: Sendable {
    private let core: LoopCore
    private let thread: OwnedThread
    private let isStopping = Locked(false)

    /// Starts the thread, named `name`; nil when this process has no file descriptor left.
    package init?(name: String) {
        guard let core = LoopCore() else { return nil }
        let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { return nil }
        self.core = core
        // The thread must not hold this object: its deinit is what stops the thread.
        thread = OwnedThread(name: name) { LoopThread(core, epoll: epoll).run() }
    }

    deinit {
        guard beginStopping() else { return }
        core.post(.stop)
        thread.detach()
    }

    // MARK: - Work

    /// Runs tasks on the loop's thread.
    ///
    /// After the stop they run where other tasks do.
    package var executor: any TaskExecutor { core }

    /// Runs `body` on the loop's thread soon, in the order of the calls.
    ///
    /// After the stop it runs at once on the calling thread: then there is no other in its way.
    package func perform(_ body: @escaping @Sendable () -> Void) {
        if !core.post(.perform(body)) { body() }
    }

    /// Runs `body` on the loop's thread and returns when it has run; not to be called there.
    package func performAndWait(_ body: @escaping @Sendable () -> Void) {
        let done = OneShot()
        perform {
            body()
            done.fire()
        }
        done.wait()
    }

    // MARK: - Guests

    /// A bell for a guest that is about to come.
    package func makeDoorbell() -> Doorbell {
        Doorbell(core: core, number: core.nextNumber())
    }

    /// Takes in a guest, which `make` makes on the loop's thread.
    ///
    /// `gone` is called, there too, when the guest has been evicted and is no longer held.
    ///
    /// - Returns: false when the loop has stopped; then neither is called.
    package func host(
        _ bell: Doorbell, gone: @escaping @Sendable () -> Void = {},
        _ make: @escaping @Sendable () -> any LoopGuest
    ) -> Bool {
        core.post(.host(guest: bell.number, make: make, gone: gone))
    }

    /// Turns a guest out; nothing happens when it has left.
    package func evict(_ bell: Doorbell) {
        core.post(.evict(guest: bell.number))
    }

    // MARK: - The end

    /// Evicts all guests, does what was asked for before, and returns when the thread has ended.
    ///
    /// May be called again, and from several tasks.
    package func shutDown() async {
        let isFirst = beginStopping()
        if isFirst { core.post(.stop) }
        await core.waitUntilClosed()
        // The thread has said its last word; this waits for it to leave its function.
        if isFirst { thread.join() }
    }

    /// True for the first who wants to stop it.
    private func beginStopping() -> Bool {
        isStopping.withLock { isStopping in
            defer { isStopping = true }
            return !isStopping
        }
    }
}
