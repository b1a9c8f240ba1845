import API
import Clocks
import Problems
import Settings

/// The service's log: JSON lines on standard error, without secrets.
struct Journal: Sendable {
    private let context: Context
    private let level: LogLevel
    private let writer: LogWriter

    init(_ context: Context, level: LogLevel) {
        self.context = context
        self.level = level
        writer = LogWriter(context.errors, clock: context.clock)
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
        var line = begun(event)
        line.add("message", message)
        writer.write(line.finished())
    }

    /// Tells of what the HTTP library complains about, which may quote a client.
    func debug(_ message: String) {
        guard level <= .debug else { return }
        var line = begun("debug")
        line.add("message", message)
        writer.write(line.finished())
    }

    /// Tells of an error with all its causes.
    func error(_ error: any Error, requestID: String? = nil) {
        let report = ErrorReport(error, reference: requestID ?? context.makeReference())
        var line = begun("error")
        line.add("requestId", requestID)
        line.add("message", report.summary)
        line.add("code", report.code)
        line.add("remedy", report.remedy)
        line.add("cause", causeTree(of: error))
        writer.write(line.finished())
    }

    /// Every line of the log begins with `time` and `event`.
    private func begun(_ event: String) -> LogLine {
        var line = LogLine()
        line.add("time", context.clock.now.description)
        line.add("event", event)
        return line
    }
}
