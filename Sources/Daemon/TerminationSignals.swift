internal import Dispatch
internal import Glibc
internal import Locks

/// The signals by which an operator or the service manager asks for an end, or for a reload.
///
/// Make one at the program's start; from then on these signals no longer end the process.
package final class TerminationSignals: Sendable {
    /// What is asked for.
    package enum Event: Sendable, Equatable {
        /// The first SIGTERM or SIGINT: finish what is under way, then end.
        case drain
        /// A further SIGTERM or SIGINT: end at once.
        case stop
        /// SIGHUP.
        case reload
    }

    /// The events in their order, for one reader; it ends when this object is released.
    package let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation
    // Dispatch's sources may be used from any thread; its Swift overlay does not say so.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

    /// Takes over SIGTERM, SIGINT and SIGHUP; on return none of them can be missed any more.
    package init() async {
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        self.events = events
        self.continuation = continuation
        let order = Locked(SignalOrder())
        var sources: [any DispatchSourceSignal] = []
        for number in [SIGTERM, SIGINT, SIGHUP] {
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            // Sendable, and so without an actor: Dispatch calls it on a thread of its own.
            source.setEventHandler { @Sendable in
                continuation.yield(order.withLock { $0.event(for: number) })
            }
            sources.append(source)
        }
        unsafe self.sources = sources
        // A source takes effect some time after it was resumed, and says so.
        for source in sources {
            await withCheckedContinuation { registered in
                source.setRegistrationHandler { @Sendable in registered.resume() }
                source.resume()
            }
        }
    }

    deinit {
        unsafe sources.forEach { $0.cancel() }
        continuation.finish()
    }
}

/// What a signal means after those that came before it.
struct SignalOrder: Sendable {
    private var isDraining = false

    mutating func event(for number: Int32) -> TerminationSignals.Event {
        if number == SIGHUP { return .reload }
        defer { isDraining = true }
        return isDraining ? .stop : .drain
    }
}
