import Problems
import WebServer

/// Why the service is not started.
enum ServeError: Explained, Equatable {
    case beyondLoopback(_ address: String)

    var code: String {
        switch self {
        case .beyondLoopback: "serve.beyond-loopback"
        }
    }

    var summary: String {
        switch self {
        case .beyondLoopback(let address): "\(address) can be reached from other machines"
        }
    }

    var remedy: String {
        switch self {
        case .beyondLoopback: "listen on 127.0.0.1, [::1] or unix:PATH: there are no tokens yet"
        }
    }

    /// Refuses addresses that other machines can reach.
    static func check(_ addresses: [ListenAddress]) throws(ServeError) {
        for address in addresses where !address.isLoopback {
            throw .beyondLoopback("\(address)")
        }
    }

    var nature: Nature { .configuration }

    static var examples: [ServeError] { [.beyondLoopback("0.0.0.0:8765")] }
}
