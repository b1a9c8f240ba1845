internal import CCurl
internal import CLinux
internal import Glibc

/// libcurl's sockets and the one epoll that watches them, by file descriptor.
///
/// A connection's socket stays in the epoll when libcurl loses interest in it, because then the
/// connection is idle in a pool, and an event on it means that the server has closed it. It also
/// saves two system calls a request: libcurl asks for the same mask again next time.
@safe final class SocketTable {
    struct Entry {
        var lane: Lane?
        /// What libcurl waits for; 0 while it wants nothing.
        var wanted: UInt32 = 0
        /// What the epoll watches; 0 while the socket is not in it.
        var registered: UInt32 = 0
        /// Tells an event on this socket from one on an earlier socket with the same number.
        var generation: UInt32 = 0
        /// Whether libcurl will say when it closes this socket: it does for connections, and does
        /// not for the pipe to a thread that looks up a name.
        var isConnection = false
        /// Whether the server has closed it, and so have we.
        var isDead = false
    }

    /// The epoll; readable when any socket has an event, so it can be nested in another epoll.
    let descriptor: Int32
    private var entries: [Entry] = []
    private let scrap = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 16)

    init(epoll descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
        unsafe scrap.deallocate()
    }

    subscript(_ socket: Int32) -> Entry {
        let index = Int(socket)
        return index >= 0 && index < entries.count ? entries[index] : Entry()
    }

    /// Sockets in the epoll at most.
    var count: Int { entries.count }

    // MARK: - What libcurl says

    /// Records a new connection's socket.
    func opened(_ socket: Int32, by lane: Lane) {
        prepare(socket)
        entries[Int(socket)] = Entry(
            lane: lane, generation: entries[Int(socket)].generation &+ 1, isConnection: true)
        lane.openSockets += 1
    }

    /// Forgets a connection's socket and closes it.
    func closed(_ socket: Int32) -> Int32 {
        let entry = self[socket]
        if entry.registered != 0 { control(EPOLL_CTL_DEL, socket, 0) }
        if let lane = entry.lane {
            lane.openSockets -= 1
            if entry.isDead { lane.deadSockets -= 1 }
        }
        prepare(socket)
        entries[Int(socket)] = Entry(generation: entry.generation)
        return close(socket)
    }

    /// Follows libcurl's wish for `socket`: one of CURL_POLL_*.
    func watch(_ socket: Int32, _ wish: Int32, for lane: Lane) {
        prepare(socket)
        let index = Int(socket)
        guard wish != CURL_POLL_REMOVE else {
            entries[index].wanted = 0
            if !entries[index].isConnection {
                // It is closed behind our back, and its number may come again at once.
                if entries[index].registered != 0 { control(EPOLL_CTL_DEL, socket, 0) }
                entries[index] = Entry(generation: entries[index].generation &+ 1)
            } else if entries[index].registered & EPOLLOUT.rawValue != 0 {
                // Nearly always writable: it would wake us without end.
                register(socket, EPOLLIN.rawValue)
            }
            return
        }
        var mask: UInt32 = 0
        if wish & CURL_POLL_IN != 0 { mask |= EPOLLIN.rawValue }
        if wish & CURL_POLL_OUT != 0 { mask |= EPOLLOUT.rawValue }
        entries[index].lane = lane
        entries[index].wanted = mask
        register(socket, mask)
    }

    // MARK: - Idle connections

    /// Looks at a connection that nobody uses and on which something happened.
    ///
    /// Whatever the server sent there, it is no answer to a request of ours: nearly always it is the
    /// end of the connection. libcurl 7.88 takes a connection for alive as long as a byte can be
    /// read from it, and the TLS close_notify before the end is such bytes: so they are read away
    /// and the socket is shut down, and libcurl drops the connection when it next looks for one.
    func idleSocketSpoke(_ socket: Int32) {
        let entry = self[socket]
        guard entry.isConnection, !entry.isDead, entry.registered != 0 else { return }
        let count = unsafe recv(
            socket, scrap.baseAddress, scrap.count, Int32(MSG_DONTWAIT))
        // Nothing there: an event from before this connection became idle.
        if count < 0 && (errno == EAGAIN || errno == EINTR) { return }
        shutIdle(socket)
    }

    /// Ends every connection of `lane` that no request uses.
    func shutIdleSockets(of lane: Lane) {
        for index in entries.indices
        where entries[index].lane === lane && entries[index].isConnection
            && entries[index].wanted == 0 && !entries[index].isDead
        {
            shutIdle(Int32(index))
        }
    }

    private func shutIdle(_ socket: Int32) {
        shutdown(socket, Int32(SHUT_RDWR))
        // What had come before can still be read after the shutdown; bounded, in case it is much.
        for _ in 0..<64 {
            let count = unsafe recv(
                socket, scrap.baseAddress, scrap.count, Int32(MSG_DONTWAIT))
            if count <= 0 { break }
        }
        let index = Int(socket)
        control(EPOLL_CTL_DEL, socket, 0)
        entries[index].registered = 0
        entries[index].isDead = true
        entries[index].lane?.deadSockets += 1
    }

    // MARK: - The epoll

    private func register(_ socket: Int32, _ mask: UInt32) {
        let registered = entries[Int(socket)].registered
        guard registered != mask else { return }
        control(registered == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, mask)
        entries[Int(socket)].registered = mask
    }

    private func control(_ operation: Int32, _ socket: Int32, _ mask: UInt32) {
        var event = unsafe epoll_event()
        unsafe event.events = mask
        unsafe event.data.u64 = UInt64(self[socket].generation) << 32 | UInt64(UInt32(socket))
        unsafe epoll_ctl(descriptor, operation, socket, &event)
    }

    private func prepare(_ socket: Int32) {
        while entries.count <= Int(socket) { entries.append(Entry()) }
    }
}
