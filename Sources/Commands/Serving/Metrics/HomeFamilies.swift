import Clocks
import Database
import Ledger
import Merchants
import Metrics
import Registry

/// The families of ``HomeMeasures``, read in one transaction.
///
/// One pass over the certificates writes four families as it goes, so memory is that of the text.
struct HomeFamilies: Sendable {
    private(set) var all: [MetricFamily] = []
    /// Rollbacks after the entry that was the ledger's last when the service started.
    ///
    /// A ledger may be long and has no index by act, so each reading counts what is new alone.
    private(set) var rollbacks: [String: Int64]
    private(set) var ledgerSeen: Int64

    /// Reads what is new since `last`.
    ///
    /// - Throws: `DatabaseError`, `LedgerError`.
    init(
        after last: HomeFamilies?, windows: WindowTable, in transaction: borrowing Transaction
    ) throws {
        let head = try Ledger.head(in: transaction).sequence
        rollbacks = last?.rollbacks ?? [:]
        if let seen = last?.ledgerSeen, head > seen {
            let new = try Ledger.count(.certificateRolledBack, after: seen, in: transaction)
            rollbacks.merge(new, uniquingKeysWith: +)
        }
        ledgerSeen = head
        all.append(MetricFamily(HomeMeasures.readable, 1))
        try addCertificates(windows, in: transaction)
        try addCounts(in: transaction)
        try addAlerts(in: transaction)
        try addRollbacks(in: transaction)
        all.append(MetricFamily(HomeMeasures.ledgerHead, head))
        try addObservations(in: transaction)
    }

    private mutating func addCertificates(
        _ windows: WindowTable, in transaction: borrowing Transaction
    ) throws {
        var notBefore = MetricFamily(HomeMeasures.notBefore)
        var notAfter = MetricFamily(HomeMeasures.notAfter)
        var renewalDue = MetricFamily(HomeMeasures.renewalDue)
        var serials = MetricFamily(HomeMeasures.activeSerial)
        try HomeFigures.forEachCertificate(in: transaction) { found in
            let labels = [found.merchant, found.kind, found.credential, found.state]
            notBefore.add(labels, found.notBefore.seconds)
            notAfter.add(labels, found.notAfter.seconds)
            renewalDue.add(
                labels, Self.windows(for: found, windows).dueDate(of: found.notAfter).seconds)
            if found.state == CredentialState.active.rawValue {
                serials.add([found.merchant, found.kind, found.credential, found.serial], 1)
            }
        }
        all += [notBefore, notAfter, renewalDue, serials]
    }

    /// A record whose names cannot be read has those of all.
    private static func windows(
        for found: HomeFigures.Certificate, _ windows: WindowTable
    ) -> Windows {
        guard !windows.exceptions.isEmpty, let merchant = try? MerchantIdentifier(found.merchant),
            let kind = CredentialKind(rawValue: found.kind)
        else { return windows.standard }
        return windows.windows(for: merchant, kind)
    }

    private mutating func addCounts(in transaction: borrowing Transaction) throws {
        let counts = try HomeFigures.credentialCounts(in: transaction)
        var credentials = MetricFamily(HomeMeasures.credentials)
        for kind in CredentialKind.allCases {
            for state in CredentialState.allCases {
                let count = counts.reduce(0) { sum, found in
                    found.kind == kind.rawValue && found.state == state.rawValue
                        ? sum + found.count : sum
                }
                credentials.add([kind.rawValue, state.rawValue], count)
            }
        }
        var keys = MetricFamily(HomeMeasures.processingKeys)
        for state in CredentialState.allCases where state != .destroyed {
            let count = counts.reduce(0) { sum, found in
                found.kind != CredentialKind.merchantIdentity.rawValue
                    && found.custody == Custody.local.rawValue && found.state == state.rawValue
                    ? sum + found.count : sum
            }
            keys.add([state.rawValue], count)
        }
        all += [credentials, keys]
    }

    private mutating func addAlerts(in transaction: borrowing Transaction) throws {
        let count = try HomeFigures.openAlerts(in: transaction)
        var open = MetricFamily(HomeMeasures.alertsOpen)
        for urgency in Urgency.allCases {
            open.add([urgency.alertName], count[urgency.name] ?? 0)
        }
        var sent = MetricFamily(HomeMeasures.alertsSent)
        var failed = MetricFamily(HomeMeasures.alertsFailed)
        var undelivered = MetricFamily(HomeMeasures.alertsUndelivered)
        var since = MetricFamily(HomeMeasures.alertsFailingSince)
        for tally in try HomeFigures.alertTallies(in: transaction) {
            sent.add([tally.channel], tally.sent)
            failed.add([tally.channel], tally.failed)
            undelivered.add([tally.channel], tally.undelivered)
            if let start = tally.failingSince { since.add([tally.channel], start.seconds) }
        }
        all += [open, sent, failed, undelivered, since]
    }

    private mutating func addRollbacks(in transaction: borrowing Transaction) throws {
        let merchants = try HomeFigures.merchants(in: transaction)
        all.append(MetricFamily(HomeMeasures.merchants, Int64(merchants.count)))
        var family = MetricFamily(HomeMeasures.rollbacks)
        // Each merchant's from 0 on: a counter that begins with 1 is no increase to anybody.
        for merchant in merchants { family.add([merchant], rollbacks[merchant] ?? 0) }
        var waiting = MetricFamily(HomeMeasures.rolledBack)
        for (merchant, count) in try HomeFigures.rolledBack(in: transaction) {
            waiting.add([merchant], count)
        }
        all += [waiting, family]
    }

    private mutating func addObservations(in transaction: borrowing Transaction) throws {
        var succeeded = MetricFamily(HomeMeasures.succeeded)
        let runs: [(Observation.Sort, Measure)] = [
            (.watch, HomeMeasures.lastWatch), (.renew, HomeMeasures.lastRenew),
            (.heartbeat, HomeMeasures.lastHeartbeat),
        ]
        for (sort, measure) in runs {
            var family = MetricFamily(measure)
            if let last = try Observations.find(sort, in: transaction) {
                family.add([], last.at.seconds)
                succeeded.add([sort.rawValue], last.outcome == "done" ? 1 : 0)
            }
            all.append(family)
        }
        var gateways = MetricFamily(HomeMeasures.gateways)
        for look in try Observations.list(.gateway, in: transaction) {
            gateways.add([look.subject], look.outcome == "healthy" ? 1 : 0)
        }
        all += [succeeded, gateways]
        var files = MetricFamily(HomeMeasures.siteFiles)
        var ends = MetricFamily(HomeMeasures.siteNotAfter)
        try HomeFigures.forEachSite(in: transaction) { site in
            let labels = [site.merchant, site.domain]
            files.add(labels, site.outcome == SiteOutcome.served.rawValue ? 1 : 0)
            if let end = site.notAfter { ends.add(labels, end) }
        }
        all += [files, ends]
    }
}
