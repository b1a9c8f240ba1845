import EventLoops
import Glibc
import Locks

/// A guest with a pipe: it counts its turns, and the bytes that were written to it.
final class Counter: LoopGuest, Sendable {
    struct Seen: Sendable {
        var turns = 0
        var read = 0
        var evicted = 0
        var released = 0
    }

    let descriptor: Int32
    /// The other end.
    let entrance: Int32
    private let seen: Locked<Seen>
    /// What its turns ask for, one after the other; nothing when they are used up.
    private let pauses: Locked<[NextTurn]>

    init(_ seen: Locked<Seen> = Locked(Seen()), pauses: [NextTurn] = []) {
        var ends: [Int32] = [-1, -1]
        pipe(&ends)
        (descriptor, entrance) = (ends[0], ends[1])
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        self.seen = seen
        self.pauses = Locked(pauses)
    }

    deinit {
        close(descriptor)
        close(entrance)
        seen.withLock { $0.released += 1 }
    }

    func turn(isReadable: Bool) -> NextTurn {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = max(read(descriptor, &bytes, bytes.count), 0)
        seen.withLock {
            $0.turns += 1
            $0.read += count
        }
        return pauses.withLock { $0.isEmpty ? .whenReadable : $0.removeFirst() }
    }

    func evicted() {
        seen.withLock { $0.evicted += 1 }
    }
}
