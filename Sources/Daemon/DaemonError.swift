package import Problems

/// Why the service manager could not be told something.
package enum DaemonError: Explained, Equatable {
    case badNotifySocket(_ address: String)
    case notifyFailed(errno: Int32)

    package var code: String {
        switch self {
        case .badNotifySocket: "daemon.bad-notify-socket"
        case .notifyFailed: "daemon.notify-failed"
        }
    }

    package var summary: String {
        switch self {
        case .badNotifySocket(let address):
            "NOTIFY_SOCKET is neither a path nor an abstract name: \"\(address.prefix(40))\""
        case .notifyFailed(let errno):
            "the service manager could not be notified (system error \(errno))"
        }
    }

    package var remedy: String {
        switch self {
        case .badNotifySocket: "unset NOTIFY_SOCKET, or start the service with Type=notify"
        case .notifyFailed: "check that the unit allows AF_UNIX sockets and NotifyAccess=main"
        }
    }

    package var nature: Nature {
        switch self {
        case .badNotifySocket: .configuration
        case .notifyFailed: .internalFault
        }
    }

    package static var examples: [DaemonError] {
        [.badNotifySocket("vsock:2:1"), .notifyFailed(errno: 111)]
    }
}
