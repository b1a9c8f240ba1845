package import Problems

/// Why the service manager could not be told something, or what it passed cannot be taken over.
package enum DaemonError: Explained, Equatable {
    case badNotifySocket(_ address: String)
    case notifyFailed(errno: Int32)
    /// A variable of socket activation that sd_listen_fds(3) would refuse, too.
    case badListenVariables(_ variable: String)
    /// Passed by its number, and not open.
    case descriptorMissing(_ descriptor: Int32)

    package var code: String {
        switch self {
        case .badNotifySocket: "daemon.bad-notify-socket"
        case .notifyFailed: "daemon.notify-failed"
        case .badListenVariables: "daemon.bad-listen-variables"
        case .descriptorMissing: "daemon.descriptor-missing"
        }
    }

    package var summary: String {
        switch self {
        case .badNotifySocket(let address):
            "NOTIFY_SOCKET is neither a path nor an abstract name: \"\(address.prefix(40))\""
        case .notifyFailed(let errno):
            "the service manager could not be notified (system error \(errno))"
        case .badListenVariables(let variable):
            "\(variable) is not what a service manager sets for passed sockets"
        case .descriptorMissing(let descriptor):
            "LISTEN_FDS tells of descriptor \(descriptor), which is not open"
        }
    }

    package var remedy: String {
        switch self {
        case .badNotifySocket: "unset NOTIFY_SOCKET, or start the service with Type=notify"
        case .notifyFailed: "check that the unit allows AF_UNIX sockets and NotifyAccess=main"
        case .badListenVariables, .descriptorMissing:
            "let systemd set LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES (purser.socket), or unset them"
        }
    }

    package var nature: Nature {
        switch self {
        case .badNotifySocket, .badListenVariables, .descriptorMissing: .configuration
        case .notifyFailed: .internalFault
        }
    }

    package static var examples: [DaemonError] {
        [
            .badNotifySocket("vsock:2:1"), .notifyFailed(errno: 111),
            .badListenVariables("LISTEN_FDS"), .descriptorMissing(3),
        ]
    }
}
