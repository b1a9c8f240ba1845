import Problems
import WebServer

/// Why the service is not started, or what it cannot do while it runs.
enum ServeError: Explained, Equatable {
    case beyondLoopback(_ address: String)
    case userUnknown(_ name: String)
    case rollbackFailed(_ merchant: String, old: String, why: String)

    var code: String {
        switch self {
        case .beyondLoopback: "serve.beyond-loopback"
        case .userUnknown: "serve.user-unknown"
        case .rollbackFailed: "serve.rollback-failed"
        }
    }

    var summary: String {
        switch self {
        case .beyondLoopback(let address):
            "\(address) can be reached from other machines, and there is no API token"
        case .userUnknown(let name):
            "serve.socketUsers names \(name), who is no user of this machine"
        case .rollbackFailed(let merchant, let old, let why):
            "\(merchant)'s way back to \(old) cannot be recorded: \(why)"
        }
    }

    var remedy: String {
        switch self {
        case .beyondLoopback: "run: purser api-token create --role checkout; or listen on 127.0.0.1"
        case .userUnknown: "name a user that: getent passwd NAME shows, or a uid"
        case .rollbackFailed(_, let old, _):
            "let the service write the home, or run: purser certificate activate \(old)"
        }
    }

    /// Refuses addresses that other machines can reach where nobody has a token to show: to open the
    /// service to a network is never a slip then.
    static func check(_ addresses: [ListenAddress], hasTokens: Bool) throws(ServeError) {
        for address in addresses where !address.isLoopback && !hasTokens {
            throw .beyondLoopback("\(address)")
        }
    }

    var nature: Nature {
        switch self {
        case .beyondLoopback, .userUnknown: .configuration
        case .rollbackFailed: .internalFault
        }
    }

    static var examples: [ServeError] {
        [
            .beyondLoopback("0.0.0.0:8765"), .userUnknown("shop"),
            .rollbackFailed(
                "merchant.com.example.shop", old: "7f3a9c01be42", why: "the disk is read-only"),
        ]
    }
}
