/// Something to be done at a moment, by the thread that owns the clock.
final class Alarm {
    fileprivate(set) var due = Moment(nanoseconds: 0)
    /// Its index in the clock's heap; nil while it is not set.
    fileprivate var position: Int?
    private let action: () -> Void

    init(_ action: @escaping () -> Void) {
        self.action = action
    }

    var isSet: Bool { position != nil }

    func ring() {
        action()
    }
}

/// All alarms of a loop, the next one first: a binary heap in which each alarm knows its place.
///
/// libcurl moves its timer several times for each request, so moving must not leave the old entry
/// behind to be skipped later.
struct AlarmClock {
    private var heap: [Alarm] = []

    /// When the next alarm is due.
    var next: Moment? { heap.first?.due }

    /// Sets `alarm` to `moment`, or moves it there.
    mutating func set(_ alarm: Alarm, at moment: Moment) {
        alarm.due = moment
        if let position = alarm.position {
            settle(from: position)
        } else {
            alarm.position = heap.count
            heap.append(alarm)
            settle(from: heap.count - 1)
        }
    }

    /// Takes `alarm` out, if it is set.
    mutating func cancel(_ alarm: Alarm) {
        guard let position = alarm.position else { return }
        alarm.position = nil
        let last = heap.removeLast()
        if position < heap.count {
            place(last, at: position)
            settle(from: position)
        }
    }

    /// Takes out the next alarm if it is due at `moment`.
    mutating func takeDue(at moment: Moment) -> Alarm? {
        guard let first = heap.first, first.due <= moment else { return nil }
        cancel(first)
        return first
    }

    private mutating func place(_ alarm: Alarm, at position: Int) {
        heap[position] = alarm
        alarm.position = position
    }

    private mutating func settle(from start: Int) {
        var position = start
        let alarm = heap[position]
        while position > 0, alarm.due < heap[(position - 1) / 2].due {
            place(heap[(position - 1) / 2], at: position)
            position = (position - 1) / 2
        }
        while true {
            var child = 2 * position + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].due < heap[child].due { child += 1 }
            guard heap[child].due < alarm.due else { break }
            place(heap[child], at: position)
            position = child
        }
        place(alarm, at: position)
    }
}
