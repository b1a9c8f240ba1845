import Clocks
import Database
import Merchants
import Registry

/// What one run of the engine begins with: the alerts after the findings went in, who was told what,
/// and who owns the merchants.
struct AlertBook: Sendable {
    let plan: AlertPlan
    /// Over, and somebody is still to hear of that.
    let recoveries: [Alert]
    private let deliveries: [AlertIdentifier: [String: AlertDelivery]]
    private let owners: [MerchantIdentifier: [String]]
    /// Merchants whose owners cannot be read: their alerts go to the other receivers alone.
    let damaged: [WatchError]

    /// Brings the alerts to the findings and reads the rest, in one transaction.
    ///
    /// - Throws: `DatabaseError`, `RegistryError`.
    init(_ findings: [Finding], at now: Timestamp, in transaction: borrowing Transaction) throws {
        plan = AlertPlan(
            findings: findings, open: try AlertRecords.open(in: transaction), at: now)
        try AlertRecords.apply(plan, in: transaction)
        recoveries = try AlertRecords.untoldRecoveries(in: transaction)
        var deliveries: [AlertIdentifier: [String: AlertDelivery]] = [:]
        for delivery in try AlertDeliveries.unfinished(in: transaction) {
            deliveries[delivery.alert, default: [:]][delivery.channel] = delivery
        }
        self.deliveries = deliveries
        var owners: [MerchantIdentifier: [String]] = [:]
        var damaged: [WatchError] = []
        for merchant in Set((plan.open + recoveries).compactMap(\.merchant)).sorted() {
            do {
                owners[merchant] = try MerchantRecords.find(merchant, in: transaction).owners
            } catch let error as RegistryError {
                damaged.append(.ownersUnknown(merchant: merchant.text, why: error.summary))
            }
        }
        self.owners = owners
        self.damaged = damaged
    }

    /// How many open alerts none of the channels has a receiver for.
    func unreachable(by channels: [any AlertChannel]) -> Int {
        plan.open.count { alert in
            channels.allSatisfy { $0.receivers(of: alert, owners: owners(of: alert)).isEmpty }
        }
    }

    private func owners(of alert: Alert) -> [String] {
        alert.merchant.flatMap { owners[$0] } ?? []
    }

    /// What one channel has to tell.
    struct Duties: Sendable {
        /// What is to be told whom now.
        var due: [Duty] = []
        /// Deliveries that are owed, and not tried again yet.
        var waiting: [AlertDelivery] = []
        /// Failures that speak of nothing that is still to be told.
        var obsolete: [AlertDelivery] = []
        /// What is over, for those who are no receivers any more.
        var gone: [AlertDelivery] = []
    }

    /// What one channel has to tell whom.
    func duties(of channel: any AlertChannel, at now: Timestamp) -> Duties {
        var waiting: [AlertDelivery] = []
        var order: [String] = []
        var due: [String: [Tiding]] = [:]
        var wanted: Set<AlertDelivery> = []
        func consider(_ tiding: Tiding, _ receiver: String, _ delivery: AlertDelivery?) {
            if let delivery { wanted.insert(delivery) }
            if let delivery, !BackOff.allows(delivery.nextAttemptAt, at: now) {
                waiting.append(delivery)
                return
            }
            if due[receiver] == nil { order.append(receiver) }
            due[receiver, default: []].append(tiding)
        }
        var gone: [AlertDelivery] = []
        for alert in recoveries {
            let receivers = Set(channel.receivers(of: alert, owners: owners(of: alert)))
            let areKnown = alert.merchant.map { owners[$0] != nil } ?? true
            for (receiver, delivery) in ours(of: alert, channel) where delivery.told != nil {
                if receivers.contains(receiver) {
                    consider(Tiding(alert, isRecovery: true, at: now), receiver, delivery)
                } else if areKnown {
                    gone.append(delivery)
                }
            }
        }
        for alert in plan.open {
            let known = deliveries[alert.id] ?? [:]
            for receiver in channel.receivers(of: alert, owners: owners(of: alert))
            where AlertLadder.mustTell(alert, lastTold: known[receiver]?.told, at: now) {
                consider(Tiding(alert, isRecovery: false, at: now), receiver, known[receiver])
            }
        }
        let obsolete = deliveries.values.flatMap(\.values).filter { delivery in
            delivery.failingSince != nil && !wanted.contains(delivery)
                && Self.isOurs(delivery.channel, channel)
        }
        return Duties(
            due: inTurn(order.map { ($0, inTurn(due[$0] ?? [], $0)) }), waiting: waiting,
            obsolete: obsolete, gone: gone)
    }

    // Who can be told comes before who could not be. Those come in another order each time: a
    // receiver at which the server stumbles must not keep all who stand behind it from ever hearing.

    private func inTurn(_ tidings: [Tiding], _ receiver: String) -> [Tiding] {
        let isFailing: (AlertIdentifier) -> Bool = { failures($0, receiver) > 0 }
        return tidings.filter { !isFailing($0.alert.id) }
            + tidings.filter { isFailing($0.alert.id) }.shuffled()
    }

    private func inTurn(_ due: [Duty]) -> [Duty] {
        let isFailing: (Duty) -> Bool = { duty in
            duty.tidings.contains { failures($0.alert.id, duty.receiver) > 0 }
        }
        return due.filter { !isFailing($0) } + due.filter(isFailing).shuffled()
    }

    typealias Duty = (receiver: String, tidings: [Tiding])

    /// Failures of channels that the settings do not name any more.
    func orphans(beside channels: [any AlertChannel]) -> [AlertDelivery] {
        deliveries.values.flatMap(\.values).filter { delivery in
            delivery.failingSince != nil
                && !channels.contains { Self.isOurs(delivery.channel, $0) }
        }
    }

    /// How often in a row telling this receiver of this alert has failed.
    func failures(_ alert: AlertIdentifier, _ receiver: String) -> Int {
        deliveries[alert]?[receiver]?.failures ?? 0
    }

    private func ours(
        of alert: Alert, _ channel: any AlertChannel
    ) -> [(String, AlertDelivery)] {
        (deliveries[alert.id] ?? [:]).filter { Self.isOurs($0.key, channel) }
            .sorted { $0.key < $1.key }
    }

    private static func isOurs(_ receiver: String, _ channel: any AlertChannel) -> Bool {
        receiver.split(separator: ":", maxSplits: 1).first.map(String.init) == channel.sort
    }
}
