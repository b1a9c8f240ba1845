internal import Glibc

/// Lets one thread wait until another has done something.
@safe final class OneShot: @unchecked Sendable {
    // Unchecked: a semaphore is made for several threads, and it never moves.
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() {
        unsafe sem_init(semaphore, 0, 0)
    }

    deinit {
        unsafe sem_destroy(semaphore)
        unsafe semaphore.deallocate()
    }

    func fire() {
        unsafe sem_post(semaphore)
    }

    func wait() {
        while unsafe sem_wait(semaphore) != 0 {}
    }
}
