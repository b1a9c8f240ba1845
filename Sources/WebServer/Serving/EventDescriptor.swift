internal import CLinux
internal import Glibc

/// An eventfd(2): one thread sleeps on it, any thread wakes it.
final class EventDescriptor: Sendable {
    private let descriptor: Int32

    /// Opens it; nil when the process has no descriptor left.
    init?() {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        if descriptor < 0 { return nil }
    }

    deinit {
        if descriptor >= 0 { _ = close(descriptor) }
    }

    /// Wakes the sleeper, or lets its next sleep end at once.
    func signal() {
        _ = eventfd_write(descriptor, 1)
    }

    /// Sleeps until it is signalled, or until `timeout` is over; nil sleeps without an end.
    func wait(_ timeout: Duration?) {
        let milliseconds = timeout.map { timeout in
            let parts = timeout.components
            // Rounded up, so that the moment waited for has come.
            let exact = parts.seconds * 1_000 + parts.attoseconds / 1_000_000_000_000_000 + 1
            return Int32(clamping: max(0, exact))
        }
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&entry, 1, milliseconds ?? -1)
        var count: eventfd_t = 0
        _ = unsafe eventfd_read(descriptor, &count)
    }
}
