internal import Glibc

/// A value behind a mutex.
///
/// Built on `pthread_mutex_t` because ThreadSanitizer does not understand
/// `Synchronization.Mutex` on Linux and reports races that are none. Never call C, resume a
/// continuation or run a handler inside ``withLock(_:)``: return what to do, and do it outside.
@safe @usableFromInline
package final class Locked<State: Sendable>: LockedMutex, @unchecked Sendable {
    // Unchecked: `state` is touched under the mutex alone. That excludes overlapping accesses, too:
    // one from within another would wait for itself.
    @exclusivity(unchecked) @usableFromInline var state: State

    /// Puts `state` behind a new mutex.
    package init(_ state: State) {
        unsafe self.state = state
        super.init()
    }

    /// Runs `body` with the value, excluding all other threads meanwhile; not re-entrant.
    ///
    /// Inlined, so that it costs its users the mutex and no more: a request passes here dozens of times.
    @inlinable package func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock()
        defer { unlock() }
        return try unsafe body(&state)
    }
}

/// The mutex of a ``Locked``: apart, because code that is inlined elsewhere cannot name Glibc's type.
@safe @usableFromInline package class LockedMutex: @unchecked Sendable {
    // Unchecked: a mutex is made for several threads, and it never moves.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    init() {
        unsafe mutex = .allocate(capacity: 1)
        let status = unsafe pthread_mutex_init(mutex, nil)
        precondition(status == 0, "pthread_mutex_init: \(status)")
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    @usableFromInline final func lock() { unsafe pthread_mutex_lock(mutex) }

    @usableFromInline final func unlock() { unsafe pthread_mutex_unlock(mutex) }
}
