import Locks
import Testing

/// Lets two of the tests that have it run at once.
///
/// Each of them starts many programs. All of them at once would keep each other waiting until
/// budgets of seconds are over, which says nothing about the programs.
struct TwoAtATime: SuiteTrait, TestTrait, TestScoping {
    private static let gate = Gate(places: 2)

    let isRecursive = true

    @concurrent func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        // Only a case does any work; a place for its suite as well would be one too many.
        guard testCase != nil else { return try await function() }
        await Self.gate.enter()
        defer { Self.gate.leave() }
        try await function()
    }
}

extension Trait where Self == TwoAtATime {
    /// See ``TwoAtATime``.
    static var twoAtATime: Self { TwoAtATime() }
}

/// A number of places, and a queue for them.
private final class Gate: Sendable {
    private struct State {
        var places: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Locked<State>

    init(places: Int) {
        state = Locked(State(places: places))
    }

    func enter() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.places == 0 {
                    state.waiting.append(continuation)
                    return false
                }
                state.places -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.waiting.isEmpty else {
                state.places += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
