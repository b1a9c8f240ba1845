internal import CCurl
internal import CLinux
internal import EventLoops
internal import Glibc

/// The logic: one epoll, all pools, and nothing that waits; an ``EventLoop`` gives it its turns.
///
/// Every request that was accepted ends in ``end(_:_:)`` or ``giveUp(_:_:)``, by an answer, a failure,
/// a cancellation or the stop: whichever comes first takes it out of ``places`` and resumes its
/// caller, so that happens once.
@safe final class TransferEngine: LoopGuest {
    enum Place {
        case waiting(Waiting)
        case live(Transfer)
    }

    let sockets: SocketTable
    /// The most connections that may be in the making at once.
    ///
    /// A handshake costs milliseconds of this thread; a thousand at once, after a start or a fault
    /// of the network, would let no finished answer through.
    let maximumOpenings: Int

    /// The moment at which this turn began.
    private(set) var now = Moment.now()
    var alarms = AlarmClock()
    /// Every accepted request, by its number.
    var places: [UInt64: Place] = [:]
    /// Connections in the making: counted by ``Transfer``.
    var openings = 0

    private let mailbox: Mailbox
    private var pools: [UInt64: Pool] = [:]
    private var permitQueue: [Pool] = []
    private var touchedLanes: [Lane] = []
    /// Empty but while they are obeyed: kept for its memory.
    private var commands: [Command] = []
    /// Empty but while a lane is looked at: kept for its memory.
    private var ended: [(transfer: Transfer, code: CURLcode)] = []
    private let events: UnsafeMutableBufferPointer<epoll_event>

    /// Takes over the epoll.
    init(mailbox: Mailbox, epoll: Int32, maximumOpenings: Int) {
        self.mailbox = mailbox
        self.maximumOpenings = max(maximumOpenings, 1)
        sockets = SocketTable(epoll: epoll)
        unsafe events = .allocate(capacity: 256)
        unsafe events.initialize(repeating: epoll_event())
    }

    deinit {
        unsafe events.deallocate()
    }

    /// The epoll, readable when a turn has something to do.
    var descriptor: Int32 { sockets.descriptor }

    // MARK: - A turn

    /// Does what there is to do, and says when the next alarm is due.
    func turn(isReadable: Bool) -> NextTurn {
        var count: Int32 = 0
        if isReadable {
            count = unsafe epoll_wait(descriptor, events.baseAddress, Int32(events.count), 0)
        }
        now = .now()
        handleEvents(max(Int(count), 0))
        mailbox.take(&commands)
        if commands.contains(where: \.startsRequest) { lookAtIdleSockets() }
        obey(commands)
        commands.removeAll(keepingCapacity: true)
        // Twice, because what is started by the first pass begins with an alarm that is due.
        for _ in 0..<2 {
            ringAlarms()
            harvest()
            grantPermits()
        }
        return alarms.next.map { .within($0 - .now()) } ?? .whenReadable
    }

    private func handleEvents(_ count: Int) {
        for index in 0..<count {
            let mask = unsafe events[index].events
            let data = unsafe events[index].data.u64
            let socket = Int32(truncatingIfNeeded: data & 0xFFFF_FFFF)
            let entry = sockets[socket]
            // An earlier event of this turn may have closed the socket and opened another.
            guard entry.generation == UInt32(data >> 32) else { continue }
            if entry.wanted == 0 {
                sockets.idleSocketSpoke(socket)
            } else if let lane = entry.lane {
                var what: Int32 = 0
                if mask & EPOLLIN.rawValue != 0 { what |= CURL_CSELECT_IN }
                if mask & EPOLLOUT.rawValue != 0 { what |= CURL_CSELECT_OUT }
                if mask & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 {
                    what |= CURL_CSELECT_ERR
                }
                lane.act(on: socket, what)
            }
        }
    }

    /// Ends the idle connections on which the server has spoken unasked, or which it has closed:
    /// called before requests are put on connections.
    ///
    /// What stands there already would be taken for the next request's answer, and each later one
    /// on that connection would get the answer before its own. The events of this turn do not show
    /// it all: a connection whose answer they brought may have become idle with more behind it.
    func lookAtIdleSockets() {
        var looked = 0
        while true {
            let count = unsafe max(
                Int(epoll_wait(descriptor, events.baseAddress, Int32(events.count), 0)), 0)
            for index in 0..<count {
                let data = unsafe events[index].data.u64
                let socket = Int32(truncatingIfNeeded: data & 0xFFFF_FFFF)
                let entry = sockets[socket]
                guard entry.generation == UInt32(data >> 32), entry.wanted == 0 else { continue }
                sockets.idleSocketSpoke(socket)
            }
            // Those that are ready take turns, so that another look shows others.
            looked += count
            guard unsafe count == events.count, looked < sockets.count else { return }
        }
    }

    private func ringAlarms() {
        // All that are due now, and only those: one that sets itself again waits for its turn.
        var due: [Alarm] = []
        while let alarm = alarms.takeDue(at: now) { due.append(alarm) }
        for alarm in due { alarm.ring() }
    }

    // MARK: - Commands

    private func obey(_ commands: [Command]) {
        for command in commands {
            switch command {
            case .open(let number, let configuration):
                pools[number] = Pool(number: number, configuration: configuration, engine: self)
            case .close(let number):
                pools[number]?.close()
            case .submit(let submission):
                if let pool = pools[submission.pool] {
                    pool.submit(submission)
                } else {
                    submission.caller.resume(returning: .failure(.poolClosed))
                }
            case .cancel(let number):
                giveUp(number, .cancelled)
            case .count(let caller):
                caller.resume(returning: census)
            }
        }
    }

    private var census: PoolCensus {
        var census = PoolCensus()
        for pool in pools.values { census += pool.census }
        return census
    }

    /// Ends everything: every caller is told.
    func evicted() {
        for command in mailbox.closeAndTake() {
            switch command {
            case .submit(let submission): submission.caller.resume(returning: .failure(.shutDown))
            case .count(let caller): caller.resume(returning: PoolCensus())
            case .open, .close, .cancel: break
            }
        }
        // First nobody may wait, or each end would start another.
        for pool in Array(pools.values) { pool.refuseAll(.shutDown) }
        for case .live(let transfer) in Array(places.values) { end(transfer, .failure(.shutDown)) }
    }

    // MARK: - The end of a request

    /// Ends a request from outside, if it has not ended yet.
    func giveUp(_ number: UInt64, _ error: TransferError) {
        switch places[number] {
        case .waiting(let waiting):
            places[number] = nil
            waiting.pool.abandon(waiting)
            waiting.submission.caller.resume(returning: .failure(error))
        case .live(let transfer):
            end(transfer, .failure(error))
        case nil:
            break
        }
    }

    /// Ends a request whose time is over, as libcurl would.
    func timeIsUp(_ transfer: Transfer) {
        end(transfer, transfer.outcome(CURLE_OPERATION_TIMEDOUT))
    }

    private func end(_ transfer: Transfer, _ result: Result<TransferResponse, TransferError>) {
        let lane = transfer.lane
        guard let lane, let submission = transfer.release() else { return }
        places[submission.number] = nil
        var reusable = false
        if case .success = result { reusable = true }
        transfer.pool.ended(transfer, on: lane, reusable: reusable)
        submission.caller.resume(returning: result)
    }

    /// Remembers that something may have ended on `lane`.
    func touched(_ lane: Lane) {
        guard !lane.isTouched else { return }
        lane.isTouched = true
        touchedLanes.append(lane)
    }

    private func harvest() {
        let lanes = touchedLanes
        touchedLanes.removeAll(keepingCapacity: true)
        for lane in lanes {
            lane.isTouched = false
            // First all that have ended, then their ends: an end may start others on this lane.
            unsafe lane.takeEnded { easy, code in
                if let transfer = unsafe Transfer.of(easy) { ended.append((transfer, code)) }
            }
            for (transfer, code) in ended { end(transfer, transfer.outcome(code)) }
            ended.removeAll(keepingCapacity: true)
        }
    }

    // MARK: - Permits to open connections

    /// Puts a pool in the queue of those that want to open a connection.
    func queueForPermit(_ pool: Pool) {
        guard !pool.awaitsPermit else { return }
        pool.awaitsPermit = true
        permitQueue.append(pool)
    }

    /// One connection for each pool in turn, so that a busy one does not starve the others.
    private func grantPermits() {
        while openings < maximumOpenings, !permitQueue.isEmpty {
            let pool = permitQueue.removeFirst()
            pool.awaitsPermit = false
            if pool.startNext(), pool.hasWaiting { queueForPermit(pool) }
        }
    }

    /// A closed pool has finished.
    func forget(_ pool: Pool) {
        pools[pool.number] = nil
        permitQueue.removeAll { $0 === pool }
    }
}
