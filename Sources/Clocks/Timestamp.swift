/// A moment in whole seconds since 1970-01-01T00:00:00Z, the resolution of certificates.
///
/// It prints as RFC 3339 in UTC whatever the machine's time zone. Days are floored from seconds.
/// Any number of seconds is a moment, because a database may hold any: what lies beyond the ends is
/// taken for the end, and nothing here traps.
package struct Timestamp: Sendable, Hashable, Comparable {
    package let seconds: Int64

    /// A moment `seconds` after (or, negative, before) the epoch.
    package init(seconds: Int64) {
        self.seconds = seconds
    }

    package static func < (one: Timestamp, other: Timestamp) -> Bool {
        one.seconds < other.seconds
    }

    /// The moment `seconds` later.
    package func adding(seconds more: Int64) -> Timestamp {
        let (sum, isBeyond) = seconds.addingReportingOverflow(more)
        return Timestamp(seconds: isBeyond ? (more < 0 ? .min : .max) : sum)
    }

    /// The moment `days` times 86,400 seconds later.
    package func adding(days: Int64) -> Timestamp {
        let (more, isBeyond) = days.multipliedReportingOverflow(by: Self.secondsPerDay)
        return adding(seconds: isBeyond ? (days < 0 ? .min : .max) : more)
    }

    /// Whole days from `earlier` to this moment, floored: 29 days and 23 hours are 29; an hour ago is −1.
    package func days(since earlier: Timestamp) -> Int64 {
        let (exact, isBeyond) = seconds.subtractingReportingOverflow(earlier.seconds)
        let difference = isBeyond ? (seconds < earlier.seconds ? Int64.min : .max) : exact
        let quotient = difference / Self.secondsPerDay
        return difference % Self.secondsPerDay < 0 ? quotient - 1 : quotient
    }

    package static let secondsPerDay: Int64 = 86_400
}

// MARK: - RFC 3339

extension Timestamp: CustomStringConvertible {
    /// RFC 3339 in UTC, such as `2026-03-01T08:00:00Z`.
    ///
    /// Reckoned here, because each line of a log has a time, and Foundation's formatter would take
    /// longer than the rest of the line.
    package var description: String {
        let day = days(since: Timestamp(seconds: 0))
        // Not by way of the day's first second, which may lie beyond the least number.
        let rest = seconds % Self.secondsPerDay
        let second = rest < 0 ? rest + Self.secondsPerDay : rest
        let date = CivilDate(daysSinceEpoch: day)
        var text: [UInt8] = []
        text.reserveCapacity(20)
        text.append(date.year, digits: 4, then: "-")
        text.append(date.month, digits: 2, then: "-")
        text.append(date.day, digits: 2, then: "T")
        text.append(second / 3_600, digits: 2, then: ":")
        text.append(second / 60 % 60, digits: 2, then: ":")
        text.append(second % 60, digits: 2, then: "Z")
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads RFC 3339 (`2026-03-01T08:00:00Z`, or with an offset); nil for anything else.
    ///
    /// Nil, too, for a day or an hour that no calendar has: 30 February is a mistake, and not
    /// 2 March. A leap second (`:60`) counts for such. Parts of a second are dropped.
    package init?(rfc3339 text: String) {
        guard let read = RFC3339Reader.seconds(text) else { return nil }
        seconds = read
    }
}

extension Timestamp: Codable {
    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let read = Timestamp(rfc3339: text) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "not an RFC 3339 time"))
        }
        self = read
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// A day of the Gregorian calendar, continued into the past before it was made.
private struct CivilDate {
    let year: Int64
    let month: Int64
    let day: Int64

    /// The days from the epoch to a day of the calendar; nil where the month has no such day.
    static func daysSinceEpoch(year: Int64, month: Int64, day: Int64) -> Int64? {
        guard (1...12).contains(month), day >= 1 else { return nil }
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let monthFromMarch = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - 719_468
        // A day that the month lacks comes back as one of the next month.
        let back = CivilDate(daysSinceEpoch: days)
        return back.month == month && back.day == day ? days : nil
    }

    /// Counts in years that begin in March, so that the leap day is the last of its year, and in
    /// eras of 400 years, which have 146,097 days each.
    init(daysSinceEpoch days: Int64) {
        // 0000-03-01 is 719,468 days before 1970-01-01.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        // From March on, months of 31, 30, 31, 30, 31 days repeat: 153 days for each five.
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }
}

/// The grammar of RFC 3339 §5.6, and what its §5.7 says of the values.
private enum RFC3339Reader {
    static func seconds(_ text: String) -> Int64? {
        var rest = Array(text.utf8)[...]
        guard let year = rest.number(4), rest.take("-"),
            let month = rest.number(2), rest.take("-"), let day = rest.number(2),
            rest.take("T") || rest.take("t") || rest.take(" "),
            let hour = rest.number(2), hour < 24, rest.take(":"),
            let minute = rest.number(2), minute < 60, rest.take(":"),
            let second = rest.number(2), second < 60,
            let days = CivilDate.daysSinceEpoch(year: year, month: month, day: day)
        else { return nil }
        if rest.take(".") {
            guard rest.number(1) != nil else { return nil }
            while rest.number(1) != nil {}
        }
        guard let offset = offset(&rest), rest.isEmpty else { return nil }
        return days * Timestamp.secondsPerDay + hour * 3_600 + minute * 60 + second - offset
    }

    /// How many seconds the time stands ahead of UTC; nil for no offset at all.
    private static func offset(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        if rest.take("Z") || rest.take("z") { return 0 }
        let isBehind = rest.take("-")
        guard isBehind || rest.take("+"), let hours = rest.number(2), hours < 24, rest.take(":"),
            let minutes = rest.number(2), minutes < 60
        else { return nil }
        return (hours * 3_600 + minutes * 60) * (isBehind ? -1 : 1)
    }
}

extension ArraySlice<UInt8> {
    /// Takes `mark` off the front, if it stands there.
    fileprivate mutating func take(_ mark: Unicode.Scalar) -> Bool {
        guard first == UInt8(ascii: mark) else { return false }
        removeFirst()
        return true
    }

    /// Takes a number of exactly `count` digits off the front.
    fileprivate mutating func number(_ count: Int) -> Int64? {
        let digits = prefix(count)
        guard digits.count == count, digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        removeFirst(count)
        return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }
}

extension [UInt8] {
    /// A number in at least `digits` digits, and a mark behind it.
    fileprivate mutating func append(_ number: Int64, digits: Int, then mark: Unicode.Scalar) {
        if number < 0 { append(UInt8(ascii: "-")) }
        var place: UInt64 = 1
        for _ in 1..<digits { place *= 10 }
        while number.magnitude / place >= 10 { place *= 10 }
        while place > 0 {
            append(UInt8(ascii: "0") + UInt8(number.magnitude / place % 10))
            place /= 10
        }
        append(UInt8(ascii: mark))
    }
}
