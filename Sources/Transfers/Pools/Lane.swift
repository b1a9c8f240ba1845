internal import CCurl

/// One libcurl multi: the connections that up to 64 transfers of one pool use at a time.
///
/// A pool has several when it is busy, because a multi walks its whole list of connections for each
/// transfer. They share the pool's TLS sessions and nothing else.
///
/// Confined to the loop's thread. Counts of sockets are kept by ``SocketTable``.
@safe final class Lane {
    let multi: UnsafeMutableRawPointer
    unowned let pool: Pool
    private unowned let engine: TransferEngine

    /// Transfers added to the multi.
    var live = 0
    var openSockets = 0
    /// Sockets that the server has closed and libcurl has not dropped yet.
    var deadSockets = 0
    /// Whether something ended here that ``TransferEngine`` has not looked at yet.
    var isTouched = false

    private var timer: Alarm?
    private var idleness: Alarm?
    private var isOpen = true

    /// - Throws: ``TransferError/tooManyFiles``: a multi has a pair of sockets of its own.
    init(pool: Pool, engine: TransferEngine, capacity: Int) throws(TransferError) {
        guard let multi = unsafe curl_multi_init() else { throw .tooManyFiles }
        unsafe self.multi = multi
        self.pool = pool
        self.engine = engine
        let data = unsafe Unmanaged.passUnretained(self).toOpaque()
        _ = unsafe purser_multi_set_sockets(multi, socketWishChanged, data)
        _ = unsafe purser_multi_set_timer(multi, timerWishChanged, data)
        // By default the cache of idle connections is four times the transfers of the moment: it
        // shrinks whenever few are under way, and connections are closed all the time.
        _ = unsafe purser_multi_set_long(multi, CURLMOPT_MAXCONNECTS, capacity)
        _ = unsafe purser_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, capacity)
        _ = unsafe purser_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_NOTHING))
        timer = Alarm { [weak self] in self?.act(on: CURL_SOCKET_TIMEOUT, 0) }
        idleness = Alarm { [weak self] in self?.idlenessEnded() }
    }

    deinit {
        precondition(!isOpen, "a lane was dropped without closing its connections")
    }

    /// How many connections wait for a request, by our own count.
    ///
    /// A guess: libcurl may find that one of them is dead and open another instead.
    var idleConnections: Int { max(openSockets - deadSockets - live, 0) }

    // MARK: - Transfers

    /// Begins a transfer; it is written when the loop next turns.
    func add(_ easy: UnsafeMutableRawPointer) -> Bool {
        guard unsafe curl_multi_add_handle(multi, easy) == CURLM_OK else { return false }
        live += 1
        if let idleness { engine.alarms.cancel(idleness) }
        return true
    }

    /// Takes a transfer out, whatever its state; an unfinished one loses its connection.
    func remove(_ easy: UnsafeMutableRawPointer) {
        _ = unsafe curl_multi_remove_handle(multi, easy)
        live -= 1
        if live == 0, let idleness {
            engine.alarms.set(idleness, at: engine.now + pool.configuration.idleLifetime)
        }
    }

    /// Tells libcurl of an event on a socket it waits for: a sum of CURL_CSELECT_*.
    func act(on socket: Int32, _ events: Int32) {
        guard isOpen else { return }
        var running: Int32 = 0
        _ = unsafe curl_multi_socket_action(multi, socket, events, &running)
        engine.touched(self)
    }

    /// Hands out each transfer that has ended.
    func takeEnded(_ body: (UnsafeMutableRawPointer, CURLcode) -> Void) {
        guard isOpen else { return }
        var code = CURLE_OK
        while let easy = unsafe purser_multi_next_done(multi, &code) {
            unsafe body(easy, code)
        }
    }

    /// Closes all connections with TLS's good-bye; the transfers must have been removed before.
    func close() {
        guard isOpen else { return }
        isOpen = false
        _ = unsafe curl_multi_cleanup(multi)
        if let timer { engine.alarms.cancel(timer) }
        if let idleness { engine.alarms.cancel(idleness) }
    }

    // MARK: - libcurl's callbacks

    fileprivate func wishChanged(_ socket: Int32, _ wish: Int32) {
        engine.sockets.watch(socket, wish, for: self)
    }

    fileprivate func timerChanged(toMilliseconds milliseconds: Int) {
        guard let timer else { return }
        if milliseconds < 0 {
            engine.alarms.cancel(timer)
        } else {
            // From the clock and not from the turn's beginning: libcurl counts from now, and an
            // alarm that rings early finds nothing due.
            let start = milliseconds == 0 ? engine.now : Moment.now()
            engine.alarms.set(timer, at: start + .milliseconds(milliseconds))
        }
    }

    private func idlenessEnded() {
        if live == 0 { pool.drop(self) }
    }
}

// MARK: - Functions for libcurl

private func socketWishChanged(
    _ easy: UnsafeMutableRawPointer?, _ socket: Int32, _ wish: Int32,
    _ data: UnsafeMutableRawPointer?, _ socketData: UnsafeMutableRawPointer?
) -> Int32 {
    guard let data = unsafe data else { return 0 }
    unsafe Unmanaged<Lane>.fromOpaque(data).takeUnretainedValue().wishChanged(socket, wish)
    return 0
}

private func timerWishChanged(
    _ multi: UnsafeMutableRawPointer?, _ milliseconds: Int, _ data: UnsafeMutableRawPointer?
) -> Int32 {
    guard let data = unsafe data else { return 0 }
    unsafe Unmanaged<Lane>.fromOpaque(data).takeUnretainedValue()
        .timerChanged(toMilliseconds: milliseconds)
    return 0
}
