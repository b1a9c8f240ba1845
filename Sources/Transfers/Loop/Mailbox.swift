internal import CLinux
internal import Glibc
internal import Locks
internal import Synchronization

/// A request on its way to the loop, with the caller that waits for it.
struct Submission: Sendable {
    typealias Caller = CheckedContinuation<Result<TransferResponse, TransferError>, Never>

    let number: UInt64
    let pool: UInt64
    let request: TransferRequest
    let submitted: Moment
    let caller: Caller
}

/// What other threads ask of the loop.
enum Command: Sendable {
    case open(pool: UInt64, PoolConfiguration)
    case close(pool: UInt64)
    case submit(Submission)
    /// Gives up a request; one that has ended already is left alone.
    case cancel(number: UInt64)
    case stop
}

/// Where other threads leave commands, and the eventfd that tells the loop to look.
///
/// The only part of the loop that more than one thread touches.
final class Mailbox: Sendable {
    private struct State {
        var commands: [Command] = []
        var isClosed = false
    }

    /// Readable while commands wait.
    let descriptor: Int32
    private let state = Locked(State())
    private let numbers = Atomic<UInt64>(0)

    /// - Throws: ``TransferError/tooManyFiles``.
    init() throws(TransferError) {
        let descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard descriptor >= 0 else { throw .tooManyFiles }
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
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
        // One write for all commands that come before the loop has looked.
        if isFirst { eventfd_write(descriptor, 1) }
        return accepted
    }

    /// Takes all commands, in the order they came.
    func take() -> [Command] {
        var count: eventfd_t = 0
        // First the eventfd, then the commands: a command posted between the two is taken now and
        // costs an empty look later, never the other way round.
        unsafe eventfd_read(descriptor, &count)
        return state.withLock { state in
            defer { state.commands = [] }
            return state.commands
        }
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
