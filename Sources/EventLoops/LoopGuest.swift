/// Something with an epoll(7) of its own that lives on an ``EventLoop``: a client's, a server's.
///
/// Every call comes on the loop's thread, one at a time, and must not wait for anything.
package protocol LoopGuest: AnyObject {
    /// Readable when ``turn(isReadable:)`` has something to do; the same as long as the guest lives.
    var descriptor: Int32 { get }

    /// Does what there is to do, and says when it wants the next turn.
    ///
    /// It is called when ``descriptor`` is readable, when the guest's ``Doorbell`` was rung, and when
    /// the time is over that it returned last. `isReadable` is whether the first is why: when it is
    /// not, something may have become readable since the loop looked, and there will be a turn for it.
    func turn(isReadable: Bool) -> NextTurn

    /// Ends whatever is under way: it is never called again.
    func evicted()
}

/// When a guest wants its next turn; its bell gives it one in any case.
package enum NextTurn: Sendable {
    /// When its descriptor is readable.
    case whenReadable
    /// Then too, and at the latest after this time; none is at once.
    case within(Duration)
    /// After this time, whatever is readable: nothing can be done about it now.
    case after(Duration)
}

/// Calls a guest from any thread.
package struct Doorbell: Sendable {
    let core: LoopCore
    let number: UInt64

    /// Lets the guest have a turn soon; nothing happens when it has left.
    package func ring() {
        core.post(.ring(guest: number))
    }
}
