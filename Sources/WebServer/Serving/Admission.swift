/// Which requests are let in: a count against a bound, and whether the server still wants any.
struct Admission: Sendable {
    enum Phase: Sendable { case open, draining, stopping }

    private(set) var phase = Phase.open
    private(set) var inFlight = 0
    let maximum: Int
    /// Whether a drain lets in what comes on connections that are open: each has one request more at
    /// the most, because answers close them then.
    let isPatient: Bool

    init(maximum: Int, isPatient: Bool = false) {
        self.maximum = maximum
        self.isPatient = isPatient
    }

    /// Lets a request in, or says why not.
    mutating func admit() -> WebServerRefusal? {
        guard phase == .open || phase == .draining && isPatient else { return .draining }
        guard inFlight < maximum else { return .overloaded }
        inFlight += 1
        return nil
    }

    /// A request that was let in is over; true when it was the last one that a drain waits for.
    mutating func release() -> Bool {
        inFlight -= 1
        return inFlight == 0 && phase != .open
    }

    /// Lets nothing in any more.
    mutating func drain() {
        if phase == .open { phase = .draining }
    }

    /// Gives up waiting for those in flight.
    mutating func stop() {
        phase = .stopping
    }
}
