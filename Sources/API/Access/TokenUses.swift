package import Clocks
import Locks
package import Merchants
import Networks

/// When and from where each token was last accepted, in memory until somebody writes it down.
///
/// No request waits for the database: a service asks for the uses now and then (``take()``).
package final class TokenUses: Sendable {
    /// One token's last use.
    package struct Use: Sendable, Hashable {
        package let at: Timestamp
        /// An address; `unix` where there is none to tell.
        package let place: String
    }

    private struct Seen {
        var at: Timestamp
        var address: IPAddress?
    }

    private let seen = Locked<[TokenIdentifier: Seen]>([:])

    package init() {}

    func note(_ id: TokenIdentifier, at time: Timestamp, from address: IPAddress?) {
        seen.withLock { $0[id] = Seen(at: time, address: address) }
    }

    /// The uses since the last call, by token.
    package func take() -> [TokenIdentifier: Use] {
        let taken = seen.withLock { seen in
            defer { seen = [:] }
            return seen
        }
        return taken.mapValues { Use(at: $0.at, place: $0.address?.description ?? "unix") }
    }

    /// Puts back what could not be written down, where nothing newer has come meanwhile.
    package func putBack(_ uses: [TokenIdentifier: Use]) {
        seen.withLock { seen in
            for (id, use) in uses where seen[id] == nil {
                seen[id] = Seen(at: use.at, address: IPAddress(use.place))
            }
        }
    }
}
