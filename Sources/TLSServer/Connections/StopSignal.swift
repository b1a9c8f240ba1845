internal import CLinux
internal import Glibc

/// A descriptor that becomes readable, for good, when the listener is to stop.
///
/// Every wait of every thread includes it, so that all of them wake and none needs a signal or a
/// descriptor of another thread's.
final class StopSignal: Sendable {
    let descriptor: Int32

    init() throws(TLSServerError) {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        guard descriptor >= 0 else { throw .library("eventfd", reason: "errno \(errno)") }
    }

    deinit {
        close(descriptor)
    }

    func raise() {
        _ = eventfd_write(descriptor, 1)
    }
}

/// Waits until `descriptor` (negative for none) is ready for `events`; false at the deadline.
///
/// - Throws: ``TLSServerError/stopping`` as soon as `stop` is raised.
func waitFor(
    _ descriptor: Int32, _ events: Int32, until deadline: ContinuousClock.Instant?,
    unless stop: StopSignal
) throws(TLSServerError) -> Bool {
    while true {
        var watched = [
            pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptor, events: Int16(events), revents: 0),
        ]
        let ready = unsafe poll(&watched, nfds_t(watched.count), milliseconds(until: deadline))
        if ready < 0 && errno != EINTR { return true }  // let the next call tell what is wrong
        if watched[0].revents != 0 { throw .stopping }
        if watched[1].revents != 0 { return true }
        if let deadline, ContinuousClock.now >= deadline { return false }
    }
}

/// The time left as poll(2) wants it, rounded up so that it never spins; −1 for ever.
private func milliseconds(until deadline: ContinuousClock.Instant?) -> Int32 {
    guard let deadline else { return -1 }
    let left = ContinuousClock.now.duration(to: deadline)
    guard left > .zero else { return 0 }
    let (seconds, fraction) = left.components
    let total = seconds.multipliedReportingOverflow(by: 1_000)
    guard !total.overflow, total.partialValue < Int64(Int32.max) - 1_000 else { return .max }
    return Int32(total.partialValue + (fraction + 999_999_999_999_999) / 1_000_000_000_000_000)
}
