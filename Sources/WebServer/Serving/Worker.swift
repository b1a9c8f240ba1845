internal import EventLoops

/// One of the event loops that a server works on; the callbacks' context.
///
/// Each has a daemon for every listening socket, and the system gives a new connection to whichever
/// takes it first. A connection's requests and their handlers stay on its worker's loop.
final class Worker: Sendable {
    let engine: Engine
    let loop: EventLoop
    let number: Int
    /// One for each daemon.
    let bells: [Doorbell]
    /// Whether libmicrohttpd could not accept for want of a descriptor; the loop's thread alone.
    nonisolated(unsafe) var isOutOfFiles = false

    /// Whether libmicrohttpd has told of anything since the turn began; the loop's thread alone.
    nonisolated(unsafe) var wasCalled = false

    init(engine: Engine, loop: EventLoop, number: Int, daemons: Int) {
        self.engine = engine
        self.loop = loop
        self.number = number
        bells = (0..<daemons).map { _ in loop.makeDoorbell() }
    }
}
