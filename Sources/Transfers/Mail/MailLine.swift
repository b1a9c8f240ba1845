internal import CLinux
internal import Glibc
internal import Locks

/// The socket of a ``MailHandle``, which other threads may cut.
///
/// libcurl says good-bye to a mail server and waits for its answer, minutes long, whatever has gone
/// before and whoever has stopped waiting: a socket that is shut down ends that at once.
final class MailLine: Sendable {
    private struct State {
        var socket: Int32?
        var isCut = false
    }

    private let state = Locked(State())

    /// Whether nobody wants the mail under way any more.
    var isCut: Bool { state.withLock { $0.isCut } }

    /// Ends what is under way, from any thread.
    func cut() {
        state.withLock { state in
            state.isCut = true
            Self.shut(state.socket)
        }
    }

    /// Ends the connection, so that no good-bye is waited for.
    func hangUp() {
        state.withLock { Self.shut($0.socket) }
    }

    /// Makes a socket for libcurl; -1 when there can be none, or it is not wanted any more.
    func open(family: Int32, type: Int32, protocol number: Int32) -> Int32 {
        guard !isCut else { return -1 }
        let descriptor = purser_socket(family, type, number)
        return state.withLock { state in
            state.socket = descriptor >= 0 ? descriptor : nil
            if state.isCut { Self.shut(state.socket) }
            return descriptor
        }
    }

    /// Closes a socket of libcurl's.
    func close(_ descriptor: Int32) -> Int32 {
        state.withLock { if $0.socket == descriptor { $0.socket = nil } }
        return Glibc.close(descriptor)
    }

    // Under the lock, because the number could be another file's by then otherwise; it never waits.
    private static func shut(_ socket: Int32?) {
        if let socket { _ = purser_shutdown(socket) }
    }
}
