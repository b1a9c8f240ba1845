internal import Glibc

/// A value behind a mutex.
///
/// Built on `pthread_mutex_t` because ThreadSanitizer does not understand
/// `Synchronization.Mutex` on Linux and reports races that are none. Never call C, resume a
/// continuation or run a handler inside ``withLock(_:)``: return what to do, and do it outside.
@safe package final class Locked<State: Sendable>: @unchecked Sendable {
    // Unchecked: `state` is touched under `mutex` alone, and `mutex` never moves.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var state: State

    /// Puts `state` behind a new mutex.
    package init(_ state: State) {
        self.state = state
        unsafe mutex = .allocate(capacity: 1)
        let status = unsafe pthread_mutex_init(mutex, nil)
        precondition(status == 0, "pthread_mutex_init: \(status)")
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Runs `body` with the value, excluding all other threads meanwhile; not re-entrant.
    package func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body(&state)
    }
}
