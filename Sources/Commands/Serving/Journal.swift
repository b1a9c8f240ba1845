import Clocks
import FoundationEssentials
import Problems
import Settings

/// The service's log: JSON lines on standard error, without secrets.
struct Journal: Sendable {
    private struct Line: Encodable {
        var time: Timestamp
        var event: String
        var message: String?
        var code: String?
        var remedy: String?
        var requestId: String?
        var cause: String?
    }

    private let context: Context
    private let level: LogLevel
    private let writer: LogWriter

    init(_ context: Context, level: LogLevel) {
        self.context = context
        self.level = level
        writer = LogWriter(context.errors)
    }

    /// Returns when every line is written, or after a second.
    func flush() async {
        await writer.finish(within: .seconds(1))
    }

    /// Writes a line that is already made, such as the access log's.
    func write(_ line: [UInt8]) {
        guard level <= .info else { return }
        writer.write(line)
    }

    /// Tells of something that happened as it should.
    func note(_ event: String, _ message: String) {
        guard level <= .info else { return }
        put(Line(time: context.clock.now, event: event, message: message))
    }

    /// Tells of what the HTTP library complains about, which may quote a client.
    func debug(_ message: String) {
        guard level <= .debug else { return }
        put(Line(time: context.clock.now, event: "debug", message: message))
    }

    /// Tells of an error with all its causes.
    func error(_ error: any Error, requestID: String? = nil) {
        let report = ErrorReport(error, reference: requestID ?? context.makeReference())
        put(
            Line(
                time: context.clock.now, event: "error", message: report.summary,
                code: report.code, remedy: report.remedy, requestId: requestID,
                cause: causeTree(of: error)))
    }

    private func put(_ line: Line) {
        guard let bytes = try? JSONText.line(line) else { return }
        writer.write(bytes)
    }
}
