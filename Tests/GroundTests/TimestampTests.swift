import Clocks
import TestSupport
import Testing

@Suite struct TimestampTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (1_709_164_800, "2024-02-29T00:00:00Z"),
            (2_524_608_000, "2050-01-01T00:00:00Z"), (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] as [(Int64, String)])
    func `a moment prints and reads as RFC 3339 in UTC`(seconds: Int64, text: String) {
        #expect(Timestamp(seconds: seconds).description == text)
        #expect(Timestamp(rfc3339: text) == Timestamp(seconds: seconds))
    }

    @Test func `every day of four centuries is that of the system's calendar`() throws {
        // One call for all: date(1) reads the moments from a file.
        let moments = (-25_600..<120_500).map { Int64($0) * 86_400 + Int64($0 & 0xFFFF) }
        let folder = TemporaryFolder()
        let file = folder.write(
            "moments", Array(moments.map { "@\($0)\n" }.joined().utf8))
        let told = try ForeignProcess.run(
            "date", ["--utc", "--file=\(file)", "+%Y-%m-%dT%H:%M:%SZ"])
        let lines = String(decoding: told.output, as: UTF8.self).split(separator: "\n")
        #expect(lines.count == moments.count)
        let wrong = zip(moments, lines).first { Timestamp(seconds: $0).description != $1 }
        #expect(wrong == nil)
    }

    @Test func `an offset is honoured and nonsense refused`() {
        #expect(Timestamp(rfc3339: "1970-01-01T14:00:00+14:00") == Timestamp(seconds: 0))
        #expect(Timestamp(rfc3339: "yesterday") == nil)
    }

    @Test(
        arguments: [(86_399, 0), (86_400, 1), (-1, -1), (-86_400, -1), (-86_401, -2)]
            as [(Int64, Int64)])
    func `days are floored`(seconds: Int64, days: Int64) {
        #expect(Timestamp(seconds: seconds).days(since: Timestamp(seconds: 0)) == days)
    }
}
