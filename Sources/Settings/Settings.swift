package import Merchants
package import WebServer

/// What an installation can set, checked; every field has a default that serves.
///
/// Where a value comes from (flag, environment, `purser.json5`, default) is decided by
/// ``ResolvedSettings``. No field ever holds a secret: keys and passwords are named by their files.
package struct Settings: Sendable, Equatable {
    /// Where `purser serve` listens: 127.0.0.1:8765.
    package var listen: [ListenAddress] = [.ipv4("127.0.0.1", port: 8765)]

    package var session = Session()
    package var serve = Serve()
    package var limits = Limits()
    package var check = Check()
    package var rotation = Rotation()
    package var alerts = Alerts()
    package var watch = Watch()
    package var log = Log()

    /// The file of 32 raw bytes that unlocks the vault; none.
    package var masterKeyFile: String?
    /// The file whose first line is the passphrase that unlocks the vault; none.
    package var passphraseFile: String?
    /// The file with the recovery key that unlocks the vault; none.
    package var recoveryKeyFile: String?

    /// The defaults.
    package init() {}

    /// The request to Apple for one merchant session.
    package struct Session: Sendable, Equatable {
        /// How long connecting to the gateway may take: 3 s.
        package var connectTimeoutSeconds = 3
        /// How long all of it may take, a retry included: 10 s, where the browser's sheet waits 30 s.
        package var totalTimeoutSeconds = 10
        /// The version of IP that Apple's gateways are reached by: any.
        package var addressFamily = AddressFamily.any
    }

    /// Which version of IP connections are made by.
    package enum AddressFamily: String, Sendable, CaseIterable {
        /// What stands first (RFC 8305).
        case any
        case ipv4, ipv6
    }

    /// The HTTP service.
    package struct Serve: Sendable, Equatable {
        /// How long requests in flight may take after SIGTERM: 15 s.
        package var drainSeconds = 15
        /// The largest body that is read: 16 KiB.
        package var maximumBodyBytes = 16_384
        /// Requests answered at the same time: 4,096.
        package var maximumInFlight = 4_096
        /// Open connections: 10,000, at most half of the process's limit of open files.
        package var maximumConnections = 10_000
        /// How long one answer may take before the client is told 504: 15 s.
        package var requestTimeoutSeconds = 15
        /// Event loops that requests are answered on: 0, one for each processor and 8 at most.
        package var workers = 0
        /// How often changes made by the command line are looked for: 250 ms.
        package var reloadIntervalMilliseconds = 250
        /// Reverse proxies whose `X-Forwarded-For` is believed, as CIDR ranges, or `unix`: none.
        package var trustedProxies: [String] = []
        /// Users, by name or uid, who may ask by the Unix socket without a token: none beside root
        /// and the service's own.
        package var socketUsers: [String] = []
    }

    /// How many requests a second one caller may make; each service counts for itself.
    package struct Limits: Sendable, Equatable {
        /// Of one API token: 0, no limit.
        package var tokenRequests = 0
        /// Sessions of one merchant: 0, no limit.
        package var merchantRequests = 0
    }

    /// When an expiry begins to matter.
    package struct Check: Sendable, Equatable {
        /// Days before an expiry at which a rotation begins: 60.
        package var dueDays = 60
        /// Days before an expiry at which it is a warning: 30.
        package var warningDays = 30
        /// Days before an expiry at which it is critical: 7.
        package var criticalDays = 7
        /// Other days for some merchants and kinds: none.
        package var windows: [WindowException] = []
    }

    /// How long the parts of a rotation wait.
    package struct Rotation: Sendable, Equatable {
        /// Days that a superseded identity stays as the way back: 7.
        package var graceDays = 7
        /// Days without a payment token before a superseded processing key is retired: 14.
        package var quietDays = 14
        /// Days that a retired processing key is kept at least: 30.
        package var retentionDays = 30
        /// Days without a step after which a rotation counts as stalled: 14.
        package var stallDays = 14
    }

    /// The service's log.
    package struct Log: Sendable, Equatable {
        /// The least important line that is written: info.
        package var level = LogLevel.info
    }
}

/// How much is logged.
package enum LogLevel: String, Sendable, CaseIterable, Comparable {
    case debug, info, error

    package static func < (one: LogLevel, other: LogLevel) -> Bool {
        one.rank < other.rank
    }

    private var rank: Int {
        switch self {
        case .debug: 0
        case .info: 1
        case .error: 2
        }
    }
}
