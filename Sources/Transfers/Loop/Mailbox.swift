internal import EventLoops
internal import Locks
internal import Synchronization

/// A request on its way to the loop, with the caller that waits for it.
///
/// A class, as it is handed from place to place and has a dozen references in it.
final class Submission: Sendable {
    typealias Caller = CheckedContinuation<Result<TransferResponse, TransferError>, Never>

    let number: UInt64
    let pool: UInt64
    let request: TransferRequest
    let submitted: Moment
    let caller: Caller

    init(number: UInt64, pool: UInt64, request: TransferRequest, submitted: Moment, caller: Caller)
    {
        self.number = number
        self.pool = pool
        self.request = request
        self.submitted = submitted
        self.caller = caller
    }
}

/// What other threads ask of the loop.
enum Command: Sendable {
    case open(pool: UInt64, PoolConfiguration)
    case close(pool: UInt64)
    case submit(Submission)
    /// Gives up a request; one that has ended already is left alone.
    case cancel(number: UInt64)
    case count(CheckedContinuation<PoolCensus, Never>)

    var startsRequest: Bool {
        if case .submit = self { true } else { false }
    }
}

/// Where other threads leave commands, and the bell that tells the engine to look.
///
/// The only part of the loop that more than one thread touches.
final class Mailbox: Sendable {
    private struct State {
        var commands: [Command] = []
        var isClosed = false
    }

    private let bell: Doorbell
    private let state = Locked(State())
    private let numbers = Atomic<UInt64>(0)

    init(_ bell: Doorbell) {
        self.bell = bell
    }

    /// A number that no other pool or request of this loop has.
    func nextNumber() -> UInt64 {
        numbers.add(1, ordering: .relaxed).newValue
    }

    /// Leaves a command; false when the loop has stopped and will never see it.
    func post(_ command: Command) -> Bool {
        let (accepted, isFirst) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.commands.append(command)
            return (true, state.commands.count == 1)
        }
        // Once for all commands that come before the engine has looked.
        if isFirst { bell.ring() }
        return accepted
    }

    /// Exchanges `commands`, which is empty but for its memory, for all commands in their order.
    func take(_ commands: inout [Command]) {
        state.withLock { swap(&$0.commands, &commands) }
    }

    /// Takes what is left and accepts nothing more.
    func closeAndTake() -> [Command] {
        state.withLock { state in
            state.isClosed = true
            defer { state.commands = [] }
            return state.commands
        }
    }
}
