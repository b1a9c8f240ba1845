import Problems
import WebServer

/// Why the service is not started, or what it cannot do while it runs.
enum ServeError: Explained, Equatable {
    case beyondLoopback(_ address: String)
    case rollbackFailed(_ merchant: String, old: String, why: String)

    var code: String {
        switch self {
        case .beyondLoopback: "serve.beyond-loopback"
        case .rollbackFailed: "serve.rollback-failed"
        }
    }

    var summary: String {
        switch self {
        case .beyondLoopback(let address): "\(address) can be reached from other machines"
        case .rollbackFailed(let merchant, let old, let why):
            "\(merchant)'s way back to \(old) cannot be recorded: \(why)"
        }
    }

    var remedy: String {
        switch self {
        case .beyondLoopback: "listen on 127.0.0.1, [::1] or unix:PATH: there are no tokens yet"
        case .rollbackFailed(_, let old, _):
            "let the service write the home, or run: purser certificate activate \(old)"
        }
    }

    /// Refuses addresses that other machines can reach.
    static func check(_ addresses: [ListenAddress]) throws(ServeError) {
        for address in addresses where !address.isLoopback {
            throw .beyondLoopback("\(address)")
        }
    }

    var nature: Nature {
        switch self {
        case .beyondLoopback: .configuration
        case .rollbackFailed: .internalFault
        }
    }

    static var examples: [ServeError] {
        [
            .beyondLoopback("0.0.0.0:8765"),
            .rollbackFailed(
                "merchant.com.example.shop", old: "7f3a9c01be42", why: "the disk is read-only"),
        ]
    }
}
