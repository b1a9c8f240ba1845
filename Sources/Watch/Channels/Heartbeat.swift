package import Clocks
import FoundationEssentials
package import Ledger
package import Merchants
package import Transfers

/// Tells somebody elsewhere that the watch is alive, so that its silence is noticed.
///
/// It carries the ledger's head: whoever keeps it notices later when the ledger was rewritten or cut
/// short in the database (`purser audit verify --head`).
package struct Heartbeat: Sendable {
    private let url: String
    private let way: Way

    private enum Way: Sendable {
        case pool(ConnectionPool)
        case none(WatchError)
    }

    package init(url: String, pool: ConnectionPool) {
        self.url = url
        way = .pool(pool)
    }

    /// One that cannot be sent as it is set up: every try fails with `reason`.
    package init(url: String, unusable reason: WatchError) {
        self.url = url
        way = .none(reason)
    }

    /// What is told.
    package struct Beat: Sendable, Encodable {
        package let at: Timestamp
        package let merchants: Int
        package let alerts: Alerts
        package let ledger: Head

        /// How many are open, by urgency, and how many deliveries are owed and not made.
        package struct Alerts: Sendable, Encodable {
            package let critical: Int
            package let warning: Int
            package let notice: Int
            package let undelivered: Int
        }

        /// The number of entries and the last one's hash in hex.
        package struct Head: Sendable, Encodable {
            package let sequence: Int64
            package let hash: String
        }

        package init(
            at now: Timestamp, merchants: Int, open: [Alert], undelivered: Int, head: LedgerHead
        ) {
            at = now
            self.merchants = merchants
            let counts = open.reduce(into: [Urgency: Int]()) { $0[$1.urgency, default: 0] += 1 }
            alerts = Alerts(
                critical: counts[.critical] ?? 0, warning: counts[.warning] ?? 0,
                notice: counts[.fine] ?? 0, undelivered: undelivered)
            ledger = Head(sequence: head.sequence, hash: head.text)
        }
    }

    /// Posts it; any 2xx is taken.
    ///
    /// - Throws: ``WatchError/heartbeatAnswered(status:)``,
    ///   ``WatchError/heartbeatUnreachable(_:)``, and what it was made unusable with.
    package func send(_ beat: Beat) async throws(WatchError) {
        let pool: ConnectionPool
        switch way {
        case .pool(let usable): pool = usable
        case .none(let reason): throw reason
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let body = (try? encoder.encode(beat)).map(Array.init) ?? []
        let status: Int
        do throws(TransferError) {
            var request = TransferRequest(
                .post, url, headers: [HeaderField("Content-Type", "application/json")], body: body)
            request.statusSuffices = true
            status = try await pool.send(request).status
        } catch {
            throw .heartbeatUnreachable(error)
        }
        guard status / 100 == 2 else { throw .heartbeatAnswered(status: status) }
    }
}
