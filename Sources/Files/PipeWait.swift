internal import CLinux
internal import Glibc

/// Whether pipes are read, and how long one may keep us waiting.
package struct PipePatience: Sendable, Hashable {
    /// For a writer to open it.
    let opening: Duration
    /// From then on, for all of its bytes.
    let reading: Duration

    package init(opening: Duration, reading: Duration) {
        self.opening = opening
        self.reading = reading
    }

    /// A pipe is refused: for what lies in a home, where none belongs.
    package static let none = PipePatience(opening: .zero, reading: .zero)

    /// For what a person names.
    ///
    /// A pipe without a writer is a mistake and soon told; the writer of a
    /// `<(…)` may be asking somebody for a PIN meanwhile.
    package static let forPeople = PipePatience(
        opening: .seconds(10), reading: .seconds(120))
}

/// Waits at the reading end of a pipe that was opened with O_NONBLOCK.
struct PipeWait {
    private let descriptor: Int32
    private let path: String
    private let openingEnd: ContinuousClock.Instant
    private let readingEnd: ContinuousClock.Instant
    private let patience: PipePatience

    init(for descriptor: Int32, path: String, _ patience: PipePatience) {
        self.descriptor = descriptor
        self.path = path
        self.patience = patience
        openingEnd = ContinuousClock.now + patience.opening
        readingEnd = ContinuousClock.now + patience.reading
    }

    /// Tells a pipe that its writers have left from one that never had any, and waits in the latter
    /// for the first one.
    ///
    /// Linux says POLLHUP for the former only, and of an anonymous pipe always (fs/pipe.c). It does
    /// not say when a writer comes; a read does, so it is tried again after a while.
    ///
    /// - Returns: whether to try again; otherwise the pipe is at its end.
    func forFirstWriter() throws(FileError) -> Bool {
        let soon = ContinuousClock.now + .milliseconds(100)
        let events = try poll(until: min(soon, openingEnd))
        if events != 0 { return events & POLLIN != 0 }
        guard ContinuousClock.now < openingEnd else {
            throw .silentPipe(path, seconds: Int(patience.opening.components.seconds))
        }
        return true
    }

    /// Waits until there is something to read, or the last writer has left.
    func forBytes() throws(FileError) {
        guard try poll(until: readingEnd) != 0 else {
            throw .silentPipe(path, seconds: Int(patience.reading.components.seconds))
        }
    }

    /// What poll(2) has seen; 0 once `end` is past.
    private func poll(until end: ContinuousClock.Instant) throws(FileError) -> Int32 {
        while true {
            let left = max(.zero, end - ContinuousClock.now)
            // Rounded up, so that it never spins.
            let milliseconds = Int32(min(left / .milliseconds(1), 3_600_000).rounded(.up))
            var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = unsafe Glibc.poll(&watched, 1, milliseconds)
            if count > 0 { return Int32(watched.revents) }
            if count < 0 && errno != EINTR { throw .current(path, doing: "waiting for") }
            if count == 0 && ContinuousClock.now >= end { return 0 }
        }
    }
}
