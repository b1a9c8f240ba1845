import Glibc
import Locks
import Testing

@testable import Commands

@Suite struct LogWriterTests {
    /// A reader that takes its time.
    private final class SlowSink: OutputSink {
        let lines = Locked<[UInt8]>([])
        let isHeld = Locked(true)
        var isClosed: Bool { false }
        func checkReader() {}

        func write(_ bytes: [UInt8]) {
            while isHeld.withLock({ $0 }) { Thread.pause() }
            lines.withLock { $0 += bytes }
        }
    }

    private enum Thread {
        /// Blocks the writer's own thread, as a full pipe would.
        static func pause() { usleep(1_000) }
    }

    @Test func `a reader who dawdles holds nobody up, and gets every line in order`() async {
        let sink = SlowSink()
        let writer = LogWriter(sink)
        for number in 0..<1_000 { writer.write(Array("\(number)\n".utf8)) }
        sink.isHeld.withLock { $0 = false }
        await writer.flush()
        let text = String(decoding: sink.lines.withLock { $0 }, as: UTF8.self)
        #expect(text == (0..<1_000).map { "\($0)\n" }.joined())
    }

    @Test func `a reader who never reads does not keep the process from ending`() async {
        let sink = SlowSink()
        let writer = LogWriter(sink)
        writer.write([1])
        await writer.finish(within: .milliseconds(50))
        #expect(sink.lines.withLock { $0.isEmpty })
        sink.isHeld.withLock { $0 = false }
    }

    @Test func `what does not fit is counted`() async {
        let sink = SlowSink()
        let writer = LogWriter(sink)
        let line = [UInt8](repeating: UInt8(ascii: "x"), count: LogWriter.limit / 2)
        for _ in 0..<6 { writer.write(line) }
        sink.isHeld.withLock { $0 = false }
        await writer.flush()
        let text = String(decoding: sink.lines.withLock { $0 }, as: UTF8.self)
        #expect(text.contains(#","event":"log-lines-dropped","lines":"#))
        #expect(text.contains(#"{"time":""#))
    }
}
