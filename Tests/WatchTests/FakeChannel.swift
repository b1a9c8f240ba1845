import Locks
import Merchants
import Problems
import Watch

/// A channel whose receivers take or refuse as a test says, and which keeps what they took.
final class FakeChannel: AlertChannel {
    struct Taken: Sendable {
        let receiver: String
        let tiding: Tiding
    }

    private struct State {
        var taken: [Taken] = []
        var tries = 0
        var refusal: Untold?
        var refusesAfterTaking = false
        var stumblingBlock: String?
    }

    let sort: String
    let batch: Int
    private let everybody: [String]
    private let state = Locked(State())

    init(_ sort: String, batch: Int = 1, everybody: [String] = [], tellsOwners: Bool = false) {
        self.sort = sort
        self.batch = batch
        self.everybody = everybody
        self.tellsOwners = tellsOwners
    }

    private let tellsOwners: Bool

    func receivers(of alert: Alert, owners: [String]) -> [String] {
        ((tellsOwners ? owners : []) + everybody).map { "\(sort):\($0)" }
    }

    func tell(_ tidings: [Tiding], to receiver: String) async throws(Untold) {
        let refusal = state.withLock { state -> Untold? in
            state.tries += 1
            if receiver == state.stumblingBlock {
                return Untold(WatchError.webhookAnswered(status: 500), concernsChannel: true)
            }
            if state.refusal == nil || state.refusesAfterTaking {
                state.taken += tidings.map { Taken(receiver: receiver, tiding: $0) }
            }
            return state.refusal
        }
        if let refusal { throw refusal }
    }

    /// Refuses everything from now on, or takes everything.
    func refuse(_ isRefusing: Bool, channel: Bool = true, afterTaking: Bool = false) {
        state.withLock { state in
            state.refusal =
                isRefusing
                ? Untold(WatchError.webhookAnswered(status: 500), concernsChannel: channel) : nil
            state.refusesAfterTaking = afterTaking
        }
    }

    /// From now on telling this one ends as if the channel were dead.
    func stumble(at receiver: String) {
        state.withLock { $0.stumblingBlock = receiver }
    }

    var taken: [Taken] { state.withLock { $0.taken } }
    var tries: Int { state.withLock { $0.tries } }

    /// Takes away what was taken so far.
    func takeOut() -> [Taken] {
        state.withLock { state in
            defer { state.taken = [] }
            return state.taken
        }
    }
}
