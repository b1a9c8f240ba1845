/// The loop's side of a ``ConnectionPool``: its lanes, its idle handles and who waits for one.
///
/// Costs a few hundred bytes until its first request, and next to nothing again once it has been
/// idle: then a TLS session is all that is kept. Confined to the loop's thread.
final class Pool {
    /// The most transfers on one multi: beyond it libcurl's walk over its connections costs more
    /// than a second multi.
    private static let laneCapacity = 64

    let number: UInt64
    let configuration: PoolConfiguration
    /// The proxy's host and port, without a user name and password.
    let proxyHost: String?

    /// A proxy's own address may be anything.
    let refusesSpecialAddresses: Bool

    private unowned let engine: TransferEngine
    private var material: PoolMaterial?
    private var lanes: [Lane] = []
    private var spares: [Transfer] = []
    private var live = 0
    private var line = WaitingLine()
    private var isClosing = false
    /// Whether this pool stands in the engine's queue for a permit to open a connection.
    var awaitsPermit = false

    init(number: UInt64, configuration: PoolConfiguration, engine: TransferEngine) {
        self.number = number
        self.configuration = configuration
        self.engine = engine
        refusesSpecialAddresses =
            configuration.publicAddressesOnly && configuration.proxy == nil
        proxyHost = configuration.proxy.map { proxy in
            let rest = proxy.split(separator: "/").last { !$0.hasSuffix(":") } ?? ""
            return String(rest.split(separator: "@").last ?? "")
        }
    }

    // MARK: - Requests

    /// Starts a request, or lets it wait, or refuses it.
    func submit(_ submission: Submission) {
        guard !isClosing else {
            return submission.caller.resume(returning: .failure(.poolClosed))
        }
        if line.isEmpty, let (lane, opens) = place(for: submission) {
            return start(submission, on: lane, opens: opens)
        }
        guard line.count < configuration.maximumWaiting else {
            return submission.caller.resume(returning: .failure(.overloaded(waiting: line.count)))
        }
        let waiting = Waiting(submission, pool: self, engine: engine)
        engine.places[submission.number] = .waiting(waiting)
        engine.alarms.set(waiting.alarm, at: deadline(of: submission))
        line.append(waiting)
    }

    var hasWaiting: Bool { !line.isEmpty }

    /// Starts those that wait, the first first, for as long as there are connections for them.
    private func startWaiting() {
        while startNext() {}
    }

    /// Starts the first that waits; false when none does or there is no connection for it.
    func startNext() -> Bool {
        guard let waiting = line.first else { return false }
        engine.lookAtIdleSockets()
        guard let (lane, opens) = place(for: waiting.submission) else { return false }
        _ = line.removeFirst()
        engine.alarms.cancel(waiting.alarm)
        start(waiting.submission, on: lane, opens: opens)
        disposeIfDone()
        return true
    }

    /// A request that waited is given up; its place in the line is skipped later.
    func abandon(_ waiting: Waiting) {
        line.abandon(waiting)
        engine.alarms.cancel(waiting.alarm)
        disposeIfDone()
    }

    /// A transfer has ended and left its lane.
    func ended(_ transfer: Transfer, on lane: Lane, reusable: Bool) {
        live -= 1
        if reusable && !isClosing { spares.append(transfer) }
        if isClosing {
            lane.live == 0 && line.isEmpty ? drop(lane) : engine.sockets.shutIdleSockets(of: lane)
        }
        startWaiting()
        disposeIfDone()
    }

    /// Where the next request can go; nil means that it waits.
    private func place(for submission: Submission) -> (lane: Lane?, opens: Bool)? {
        guard live < max(configuration.maximumConnections, 1) else { return nil }
        let isIdle: (Lane) -> Bool = { $0.live < self.capacity && $0.idleConnections > 0 }
        if !submission.request.onNewConnection, let lane = lanes.first(where: isIdle) {
            return (lane, false)
        }
        guard engine.openings < engine.maximumOpenings else {
            engine.queueForPermit(self)
            return nil
        }
        return (lanes.first { $0.live < capacity }, true)
    }

    private var capacity: Int {
        min(Pool.laneCapacity, max(configuration.maximumConnections, 1))
    }

    private func start(_ submission: Submission, on free: Lane?, opens: Bool) {
        let remaining = deadline(of: submission) - engine.now
        do throws(TransferError) {
            guard remaining > .zero else { throw .waitedTooLong }
            let lane = if let free { free } else { try newLane() }
            let transfer = if let spare = spares.popLast() { spare } else { try newTransfer() }
            try transfer.prepare(submission, remaining: remaining, on: lane)
            guard unsafe lane.add(transfer.easy) else {
                throw .internalFault(code: 0, detail: "the multi does not take the transfer")
            }
            if opens { transfer.takePermit() }
            live += 1
            engine.places[submission.number] = .live(transfer)
        } catch {
            engine.places[submission.number] = nil
            submission.caller.resume(returning: .failure(error))
        }
    }

    private func deadline(of submission: Submission) -> Moment {
        submission.submitted + (submission.request.timeLimit ?? configuration.totalTimeout)
    }

    private func newLane() throws(TransferError) -> Lane {
        let lane = try Lane(pool: self, engine: engine, capacity: capacity)
        lanes.append(lane)
        return lane
    }

    private func newTransfer() throws(TransferError) -> Transfer {
        let material = if let made = self.material { made } else { try PoolMaterial(configuration) }
        self.material = material
        return try Transfer(pool: self, engine: engine, material: material)
    }

    /// What this pool has now.
    var census: PoolCensus {
        var census = PoolCensus()
        census.pools = 1
        census.busy = live
        census.idle = lanes.reduce(0) { $0 + $1.idleConnections }
        census.waiting = line.count
        return census
    }

    // MARK: - The end

    /// Closes a lane that no transfer uses, with its connections.
    func drop(_ lane: Lane) {
        lanes.removeAll { $0 === lane }
        lane.close()
        if live == 0 { spares = [] }
    }

    /// Accepts nothing more; what was accepted is finished, and what is idle is closed now.
    func close() {
        isClosing = true
        spares = []
        for lane in lanes {
            lane.live == 0 && line.isEmpty ? drop(lane) : engine.sockets.shutIdleSockets(of: lane)
        }
        disposeIfDone()
    }

    /// Closes, and gives `error` to all that wait.
    func refuseAll(_ error: TransferError) {
        isClosing = true
        while let waiting = line.removeFirst() {
            engine.alarms.cancel(waiting.alarm)
            engine.places[waiting.submission.number] = nil
            waiting.submission.caller.resume(returning: .failure(error))
        }
        disposeIfDone()
    }

    private func disposeIfDone() {
        guard isClosing, live == 0, line.isEmpty else { return }
        for lane in lanes { drop(lane) }
        spares = []
        material = nil
        engine.forget(self)
    }
}
