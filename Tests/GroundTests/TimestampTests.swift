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

    @Test(arguments: [
        "2026-02-29T00:00:00Z", "2026-02-30T00:00:00Z", "2026-02-31T08:00:00+02:00",
        "2100-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-00-01T00:00:00Z",
        "2026-13-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-32T00:00:00Z",
        "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:60Z",
        "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00+00:60",
    ])
    func `a day or an hour that there is not is refused, and not taken for another`(text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test(arguments: [
        "", "Z", "2026-01-01", "2026-01-01T00:00:00", "2026-01-01T00:00Z", "26-01-01T00:00:00Z",
        "2026-1-1T00:00:00Z", "2026-01-01T00:00:00Z ", " 2026-01-01T00:00:00Z",
        "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00+0200", "-2026-01-01T00:00:00Z",
        "12026-01-01T00:00:00Z", "2026-01-01T00:00:00ZZ", "٢٠٢٦-01-01T00:00:00Z",
        "20260101T000000Z", "2026-01-01T00:00:-1Z", "2026-01-01T00:00:00+1:00",
    ])
    func `what is not RFC 3339 is refused`(text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test(
        arguments: [
            ("2024-02-29T00:00:00z", 1_709_164_800), ("2000-02-29t12:00:00Z", 951_825_600),
            ("1970-01-01 00:00:01Z", 1), ("1970-01-01T00:00:01.999Z", 1),
            ("1969-12-31T23:59:59.5Z", -1), ("1969-12-31T16:00:00-08:00", 0),
            ("1970-01-01T05:45:00+05:45", 0), ("0000-03-01T00:00:00Z", -62_162_035_200),
            ("9999-12-31T23:59:59Z", 253_402_300_799),
        ] as [(String, Int64)])
    func `every way to write a moment is read`(text: String, seconds: Int64) {
        #expect(Timestamp(rfc3339: text) == Timestamp(seconds: seconds))
    }

    @Test func `what is printed is read back, for every day of four centuries`() {
        let wrong = (-25_600..<120_500).map { Timestamp(seconds: Int64($0) * 86_400 + 86_399) }
            .first { Timestamp(rfc3339: $0.description) != $0 }
        #expect(wrong == nil)
    }

    @Test(arguments: [Int64.min, .min + 1, -1, 0, 1, .max - 1, .max])
    func `no moment is too far away to be reckoned with`(seconds: Int64) {
        let moment = Timestamp(seconds: seconds)
        #expect(moment.description.hasSuffix("Z"))
        for other in [Int64.min, -1, 0, 1, .max] {
            let other = Timestamp(seconds: other)
            #expect((moment.days(since: other) >= 0) == (moment >= other))
            let later = moment.adding(seconds: other.seconds)
            #expect(other.seconds < 0 ? later <= moment : later >= moment)
        }
        #expect(moment.adding(days: .max) >= moment)
        #expect(moment.adding(days: .min) <= moment)
    }
}
