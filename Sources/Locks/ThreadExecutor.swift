internal import Glibc

/// A serial executor on a thread of its own, for actors whose work blocks in C (SQLite, files).
///
/// The thread ends when the executor is released and its queue is empty.
package final class ThreadExecutor: SerialExecutor {
    private let queue = JobQueue()

    /// Starts the thread, named `name`.
    package init(name: String) {
        let queue = self.queue
        OwnedThread(name: name) { queue.run() }.detach()
    }

    deinit {
        queue.finish()
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        unsafe queue.append(UnownedJob(job), for: asUnownedSerialExecutor())
    }
}

/// Jobs waiting for the thread, behind a mutex with a condition.
@safe private final class JobQueue: @unchecked Sendable {
    // Unchecked: all fields are touched under `mutex` alone.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let filled: UnsafeMutablePointer<pthread_cond_t>
    private var jobs: [(UnownedJob, UnownedSerialExecutor)] = unsafe []
    private var finished = false

    init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe filled = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        unsafe pthread_cond_init(filled, nil)
    }

    deinit {
        unsafe pthread_cond_destroy(filled)
        unsafe pthread_mutex_destroy(mutex)
        unsafe filled.deallocate()
        unsafe mutex.deallocate()
    }

    func append(_ job: UnownedJob, for executor: UnownedSerialExecutor) {
        unsafe pthread_mutex_lock(mutex)
        unsafe jobs.append((job, executor))
        unsafe pthread_cond_signal(filled)
        unsafe pthread_mutex_unlock(mutex)
    }

    func finish() {
        unsafe pthread_mutex_lock(mutex)
        finished = true
        unsafe pthread_cond_signal(filled)
        unsafe pthread_mutex_unlock(mutex)
    }

    func run() {
        while true {
            unsafe pthread_mutex_lock(mutex)
            while unsafe jobs.isEmpty && !finished {
                unsafe pthread_cond_wait(filled, mutex)
            }
            let batch = unsafe jobs
            unsafe jobs.removeAll(keepingCapacity: true)
            unsafe pthread_mutex_unlock(mutex)
            if unsafe batch.isEmpty { return }
            for unsafe(job, executor) in unsafe batch {
                unsafe job.runSynchronously(on: executor)
            }
        }
    }
}
