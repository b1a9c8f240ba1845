internal import Glibc

/// Lets one thread wait until another has done something.
///
/// A semaphore of sem_overview(7) and not Dispatch's, which ThreadSanitizer does not understand: it
/// would not see that what was done is done before the wait ends. Never wait on the cooperative pool.
@safe package final class OneShot: @unchecked Sendable {
    // Unchecked: a semaphore is made for several threads, and it never moves.
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    /// Nothing is done yet.
    package init() {
        unsafe sem_init(semaphore, 0, 0)
    }

    deinit {
        unsafe sem_destroy(semaphore)
        unsafe semaphore.deallocate()
    }

    /// It is done; from any thread, once.
    package func fire() {
        unsafe sem_post(semaphore)
    }

    /// Blocks until ``fire()``; one thread, once.
    package func wait() {
        while unsafe sem_wait(semaphore) != 0 {}
    }
}
