import FoundationEssentials
import Locks

/// The gateway's log: the newest records in memory, and all of them in a file when one is named.
package final class RequestLog: Sendable {
    private struct State: Sendable {
        var records: [RequestRecord] = []
        var file: LogFile?
    }

    private let state: Locked<State>

    /// How many records are kept in memory at least; twice as many at most.
    package static let kept = 100_000

    /// Appends to the file at `path` too, when there is one.
    ///
    /// - Throws: ``SimulatorError/cannotWrite(_:)``.
    init(path: String?) throws {
        state = Locked(State(file: try path.map { try LogFile(path: $0) }))
    }

    /// The records, oldest first.
    package var records: [RequestRecord] { state.withLock { $0.records } }

    /// The same as JSON lines.
    package var jsonLines: [UInt8] {
        records.reduce(into: []) { $0 += Self.line($1) }
    }

    /// Forgets what is in memory.
    package func clear() {
        state.withLock { $0.records.removeAll() }
    }

    func append(_ record: RequestRecord) {
        let file = state.withLock { state in
            if state.records.count >= 2 * Self.kept { state.records.removeFirst(Self.kept) }
            state.records.append(record)
            return state.file
        }
        file?.append(Self.line(record))
    }

    private static func line(_ record: RequestRecord) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let line = try? encoder.encode(record) else { return [] }
        return Array(line) + [0x0A]
    }
}
