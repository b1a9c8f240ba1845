import Locks
import TLSServer

/// Keeps the present rudeness, counts down what was ordered for the next few times, and throws the
/// dice.
///
/// With the same seed and the same order of connections and requests it throws the same.
final class RudenessDesk: Sendable {
    private struct State: Sendable {
        var rudeness: Rudeness
        var dice: Dice

        /// Whether `act` is to be done now; counts it.
        mutating func isDue(_ act: RudeAct) -> Bool {
            switch rudeness.acts[act] {
            case nil: return false
            case .always: return true
            case .next(let count) where count > 1:
                rudeness.acts[act] = .next(count - 1)
                return true
            case .next(let count):
                rudeness.acts[act] = nil
                return count == 1
            case .probability(let chance):
                return Double.random(in: 0..<1, using: &dice) < chance
            }
        }
    }

    private let state: Locked<State>

    init(_ rudeness: Rudeness, seed: UInt64) {
        state = Locked(State(rudeness: rudeness, dice: Dice(seed: seed)))
    }

    /// The present rudeness, with what is left of counts.
    var rudeness: Rudeness {
        get { state.withLock { $0.rudeness } }
        set { state.withLock { $0.rudeness = newValue } }
    }

    /// How the next connection is met.
    func welcome() -> Welcome {
        state.withLock { state in
            if state.isDue(.resetOnAccept) { return .reset }
            if state.isDue(.ignoreHandshake) { return .silence }
            return .handshake(state.rudeness.serverCertificate)
        }
    }

    /// The alert for the next client's certificate, which is otherwise in order.
    func clientRefusal() -> TLSAlert? {
        state.withLock { $0.isDue(.refuseClient) ? $0.rudeness.alert : nil }
    }

    /// After how much silence a kept connection is closed.
    var idleLimit: Duration? {
        state.withLock { $0.rudeness.idleCloseMilliseconds.map { .milliseconds($0) } }
    }

    /// How the next request is treated.
    func mood() -> Mood {
        state.withLock { state in
            var mood = Mood()
            let rudeness = state.rudeness
            var delay = rudeness.latencyMilliseconds
            if rudeness.latencyJitterMilliseconds > 0 {
                delay += Int.random(
                    in: 0...rudeness.latencyJitterMilliseconds, using: &state.dice)
            }
            mood.delay = .milliseconds(delay)
            for act in RudeAct.onRequests where state.isDue(act) { mood.acts.insert(act) }
            mood.status = rudeness.status
            mood.hugeBodyBytes = rudeness.hugeBodyBytes
            return mood
        }
    }
}

/// How a connection is met.
enum Welcome {
    case reset
    case silence
    case handshake(Rudeness.ServerCertificate)
}

/// How one request is treated.
struct Mood {
    var delay: Duration = .zero
    var acts: Set<RudeAct> = []
    var status = 500
    var hugeBodyBytes = 0
}

extension RudeAct {
    /// The acts that are drawn for each request, in the order of the dice.
    fileprivate static let onRequests: [RudeAct] = allCases.filter {
        ![.resetOnAccept, .ignoreHandshake, .refuseClient].contains($0)
    }
}

/// SplitMix64 (Steele, Lea and Flood 2014): small, seedable, and good enough for rudeness.
private struct Dice: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
