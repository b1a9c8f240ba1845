internal import CLinux
internal import Glibc

/// What the loop's thread does, and all that belongs to it alone.
@safe final class LoopThread {
    private final class Hosted {
        let number: UInt64
        let guest: any LoopGuest
        let gone: @Sendable () -> Void
        /// Whether it is to have a turn.
        var isDue = true
        /// Whether its descriptor was readable when the loop looked last, and it has had no turn since.
        var isReadable = true
        /// When it wants one, on CLOCK_MONOTONIC in nanoseconds.
        var alarm: Int64?
        /// Whether the epoll looks at its descriptor.
        var isWatched = true

        init(number: UInt64, guest: any LoopGuest, gone: @escaping @Sendable () -> Void) {
            self.number = number
            self.guest = guest
            self.gone = gone
        }
    }

    /// How often orders and guests take turns before the sockets of all are looked at again.
    private static let rounds = 8

    private let core: LoopCore
    private let epoll: Int32
    private let events = UnsafeMutableBufferPointer<epoll_event>.allocate(capacity: 16)
    private var guests: [Hosted] = []
    /// Empty but while they are obeyed: kept for its memory.
    private var orders: [LoopOrder] = []
    private var isStopping = false

    /// Takes over the epoll.
    init(_ core: LoopCore, epoll: Int32) {
        self.core = core
        self.epoll = epoll
        control(EPOLL_CTL_ADD, core.event, as: 0)
    }

    deinit {
        close(epoll)
        unsafe events.deallocate()
    }

    /// Works until the loop is stopped.
    func run() {
        while true {
            for _ in 0..<Self.rounds {
                guard obeyOrders() || hasDue else { break }
                runDueGuests()
            }
            if isStopping {
                while let last = guests.last { evict(last.number) }
                if core.close() { return }
            } else {
                wait()
            }
        }
    }

    // MARK: - Orders

    /// Does what was asked for; false when nothing was.
    private func obeyOrders() -> Bool {
        core.take(&orders)
        for order in orders {
            switch order {
            case .run(let job): unsafe job.runSynchronously(on: core.asUnownedTaskExecutor())
            case .perform(let body): body()
            case .host(let number, let make, let gone):
                let hosted = Hosted(number: number, guest: make(), gone: gone)
                guests.append(hosted)
                control(EPOLL_CTL_ADD, hosted.guest.descriptor, as: number)
            case .ring(let number): guests.first { $0.number == number }?.isDue = true
            case .evict(let number): evict(number)
            case .stop: isStopping = true
            }
        }
        let wereThere = !orders.isEmpty
        orders.removeAll(keepingCapacity: true)
        return wereThere
    }

    private func evict(_ number: UInt64) {
        guard let index = guests.firstIndex(where: { $0.number == number }) else { return }
        let gone = guests[index].gone
        epoll_ctl(epoll, EPOLL_CTL_DEL, guests[index].guest.descriptor, nil)
        guests.remove(at: index).guest.evicted()
        gone()
    }

    // MARK: - Guests

    private var hasDue: Bool { guests.contains { $0.isDue } }

    private func runDueGuests() {
        for hosted in guests where hosted.isDue {
            hosted.isDue = false
            let isReadable = hosted.isReadable
            hosted.isReadable = false
            switch hosted.guest.turn(isReadable: isReadable) {
            case .whenReadable:
                hosted.alarm = nil
                watch(hosted, true)
            case .within(let pause):
                hosted.isDue = pause <= .zero
                hosted.alarm = Self.now() + pause.nanosecondsForALoop
                watch(hosted, true)
            case .after(let pause):
                hosted.alarm = Self.now() + pause.nanosecondsForALoop
                watch(hosted, false)
            }
        }
    }

    /// Looks at the guest's descriptor from now on, or not.
    private func watch(_ hosted: Hosted, _ isWatched: Bool) {
        guard hosted.isWatched != isWatched else { return }
        hosted.isWatched = isWatched
        control(
            EPOLL_CTL_MOD, hosted.guest.descriptor, as: hosted.number,
            events: isWatched ? EPOLLIN.rawValue : 0)
    }

    private func wait() {
        var milliseconds: Int32 = 0
        if !hasDue && core.fallAsleep() {
            milliseconds = -1
            if let next = guests.compactMap({ $0.alarm }).min() {
                // Rounded up, so that the alarm is due when the wait is over.
                milliseconds = Int32(clamping: max((next - Self.now() + 999_999) / 1_000_000, 0))
            }
        }
        let count = unsafe epoll_wait(epoll, events.baseAddress, Int32(events.count), milliseconds)
        for index in 0..<max(Int(count), 0) {
            let number = unsafe events[index].data.u64
            if number == 0 {
                var value: eventfd_t = 0
                unsafe eventfd_read(core.event, &value)
            } else {
                guard let hosted = guests.first(where: { $0.number == number }) else { continue }
                hosted.isDue = true
                hosted.isReadable = true
            }
        }
        let now = Self.now()
        for hosted in guests {
            if let alarm = hosted.alarm, alarm <= now { hosted.isDue = true }
        }
    }

    private func control(
        _ operation: Int32, _ descriptor: Int32, as number: UInt64,
        events: UInt32 = EPOLLIN.rawValue
    ) {
        var event = unsafe epoll_event()
        unsafe event.events = events
        unsafe event.data.u64 = number
        unsafe epoll_ctl(epoll, operation, descriptor, &event)
    }

    private static func now() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

extension Duration {
    /// A year at most: nobody waits longer.
    fileprivate var nanosecondsForALoop: Int64 {
        let (seconds, attoseconds) = components
        return min(max(seconds, 0), 31_536_000) * 1_000_000_000
            + max(attoseconds, 0) / 1_000_000_000
    }
}
