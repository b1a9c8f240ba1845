/// A request for which there was no connection yet.
final class Waiting {
    let submission: Submission
    fileprivate(set) var isAbandoned = false
    unowned let pool: Pool
    /// Rings when the request's time is over.
    let alarm: Alarm

    init(_ submission: Submission, pool: Pool, engine: TransferEngine) {
        self.submission = submission
        self.pool = pool
        let number = submission.number
        alarm = Alarm { [weak engine] in engine?.giveUp(number, .waitedTooLong) }
    }
}

/// Requests that wait, the first come first; leaving from the middle is cheap.
struct WaitingLine {
    private var all: [Waiting] = []
    private var start = 0
    /// How many wait, without those that gave up.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// Who is next.
    var first: Waiting? {
        mutating get {
            while start < all.count, all[start].isAbandoned { start += 1 }
            return start < all.count ? all[start] : nil
        }
    }

    mutating func append(_ waiting: Waiting) {
        all.append(waiting)
        count += 1
    }

    mutating func removeFirst() -> Waiting? {
        guard let next = first else { return nil }
        start += 1
        count -= 1
        // Moves the rest once per that many steps, so that a step costs the same on average.
        if start > 32, start * 2 > all.count {
            all.removeFirst(start)
            start = 0
        }
        return next
    }

    mutating func abandon(_ waiting: Waiting) {
        guard !waiting.isAbandoned else { return }
        waiting.isAbandoned = true
        count -= 1
    }
}
