internal import CLinux
internal import Glibc

/// Tells the service manager how the service is (sd_notify(3)): datagrams to `$NOTIFY_SOCKET`.
///
/// Where no manager asks for it, nothing is sent and nothing fails.
package struct ServiceNotification: Sendable {
    /// The socket's name as unix(7) wants it, an abstract one with NUL first; empty if nobody asks.
    private let address: [UInt8]

    /// How often the manager wants to hear ``watchdog()``, at the least; call it twice as often.
    package let watchdogInterval: Duration?

    /// Whether a service manager waits for notifications.
    package var isWanted: Bool { !address.isEmpty }

    /// Reads `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID` from the process's environment.
    ///
    /// - Throws: ``DaemonError/badNotifySocket(_:)`` for anything but `/path` and `@name`.
    package init(environment: [String: String]) throws(DaemonError) {
        var name = Array((environment["NOTIFY_SOCKET"] ?? "").utf8)
        switch name.first {
        case nil, UInt8(ascii: "/"): break
        case UInt8(ascii: "@"): name[0] = 0
        default: throw .badNotifySocket(environment["NOTIFY_SOCKET"] ?? "")
        }
        address = name
        let isForUs = environment["WATCHDOG_PID"].map { $0 == "\(getpid())" } ?? true
        watchdogInterval = environment["WATCHDOG_USEC"].flatMap { isForUs ? Int64($0) : nil }
            .flatMap { $0 > 0 ? .microseconds($0) : nil }
    }

    /// The service is up, or has reloaded; `status` is a line for a person.
    package func ready(status: String) throws(DaemonError) {
        try send("READY=1\n\(Self.line(status))")
    }

    /// The service is reading its configuration anew; ``ready(status:)`` ends that.
    package func reloading() throws(DaemonError) {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        try send("RELOADING=1\nMONOTONIC_USEC=\(now.tv_sec * 1_000_000 + now.tv_nsec / 1_000)")
    }

    /// The service is draining and will end.
    package func stopping() throws(DaemonError) {
        try send("STOPPING=1")
    }

    /// A line for a person, shown by `systemctl status`.
    package func status(_ text: String) throws(DaemonError) {
        try send(Self.line(text))
    }

    /// The service is alive.
    package func watchdog() throws(DaemonError) {
        try send("WATCHDOG=1")
    }

    // A line break would begin another assignment.
    private static func line(_ text: String) -> String {
        "STATUS=" + String(text.map { $0.isNewline ? " " : $0 })
    }

    private func send(_ message: String) throws(DaemonError) {
        guard isWanted else { return }
        let flags = SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let descriptor = socket(AF_UNIX, Int32(flags), 0)
        guard descriptor >= 0 else { throw .notifyFailed(errno: errno) }
        defer { _ = close(descriptor) }
        let connected = unsafe address.withUnsafeBytes { name in
            guard let start = name.baseAddress else { return Int32(-1) }
            return unsafe purser_unix_connect(descriptor, start, name.count)
        }
        guard connected == 0 else { throw .notifyFailed(errno: errno) }
        let bytes = Array(message.utf8)
        let sent = unsafe bytes.withUnsafeBytes { bytes in
            unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        }
        guard sent == bytes.count else { throw .notifyFailed(errno: errno) }
    }
}
