internal import CLinux
internal import Glibc
internal import Locks
internal import Synchronization

/// What other threads ask of the loop.
enum LoopOrder: Sendable {
    /// A piece of a task that prefers the loop.
    case run(UnownedJob)
    case perform(@Sendable () -> Void)
    case host(
        guest: UInt64, make: @Sendable () -> any LoopGuest, gone: @Sendable () -> Void)
    case ring(guest: UInt64)
    case evict(guest: UInt64)
    case stop
}

/// Where all threads leave orders for the loop, and the eventfd that wakes it: all that is shared.
final class LoopCore: TaskExecutor, Sendable {
    private struct State {
        var orders: [LoopOrder] = []
        /// Whether the loop will look by itself before it waits again.
        var isAwake = true
        var isClosed = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    /// Readable when orders came while the loop waited.
    let event: Int32
    private let state = Locked(State())
    private let numbers = Atomic<UInt64>(0)

    /// Nil when this process has no file descriptor left.
    init?() {
        event = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        if event < 0 { return nil }
    }

    deinit {
        if event >= 0 { _ = Glibc.close(event) }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // A task may outlive the loop.
        if !post(.run(job)) { globalConcurrentExecutor.enqueue(job) }
    }

    /// A number that no other guest of this loop has; 0 is nobody's.
    func nextNumber() -> UInt64 {
        numbers.add(1, ordering: .relaxed).newValue
    }

    /// Leaves an order; false when the loop has ended and will never see it.
    @discardableResult
    func post(_ order: LoopOrder) -> Bool {
        let (accepted, mustWake) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.orders.append(order)
            // One write for all that come while the loop waits, and none while it works.
            defer { state.isAwake = true }
            return (true, !state.isAwake)
        }
        if mustWake { eventfd_write(event, 1) }
        return accepted
    }

    // MARK: - For the loop's thread

    /// Exchanges `orders`, which is empty but for its memory, for all orders in their order.
    func take(_ orders: inout [LoopOrder]) {
        state.withLock { state in
            state.isAwake = true
            swap(&state.orders, &orders)
        }
    }

    /// Says that the loop is about to wait; false when it may not, because there are orders.
    func fallAsleep() -> Bool {
        state.withLock { state in
            guard state.orders.isEmpty else { return false }
            state.isAwake = false
            return true
        }
    }

    /// Accepts nothing more; false when there is something left to do first.
    func close() -> Bool {
        let waiters: [CheckedContinuation<Void, Never>]? = state.withLock { state in
            guard state.orders.isEmpty else { return nil }
            state.isClosed = true
            defer { state.waiters = [] }
            return state.waiters
        }
        guard let waiters else { return false }
        for waiter in waiters { waiter.resume() }
        return true
    }

    /// Waits for ``close()``.
    func waitUntilClosed() async {
        await withCheckedContinuation { (waiter: CheckedContinuation<Void, Never>) in
            let isClosed = state.withLock { state in
                if !state.isClosed { state.waiters.append(waiter) }
                return state.isClosed
            }
            if isClosed { waiter.resume() }
        }
    }
}
