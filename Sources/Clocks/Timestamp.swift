import FoundationEssentials

/// A moment in whole seconds since 1970-01-01T00:00:00Z, the resolution of certificates.
///
/// It prints as RFC 3339 in UTC whatever the machine's time zone. Days are floored from seconds.
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
        Timestamp(seconds: seconds + more)
    }

    /// The moment `days` times 86,400 seconds later.
    package func adding(days: Int64) -> Timestamp {
        adding(seconds: days * Self.secondsPerDay)
    }

    /// Whole days from `earlier` to this moment, floored: 29 days and 23 hours are 29; an hour ago is −1.
    package func days(since earlier: Timestamp) -> Int64 {
        let difference = seconds - earlier.seconds
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
        let second = seconds - day * Self.secondsPerDay
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
    package init?(rfc3339 text: String) {
        guard let date = try? Date(text, strategy: .iso8601) else { return nil }
        seconds = Int64(date.timeIntervalSince1970.rounded(.down))
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

extension [UInt8] {
    /// A number in at least `digits` digits, and a mark behind it.
    fileprivate mutating func append(_ number: Int64, digits: Int, then mark: Unicode.Scalar) {
        let text = String(number.magnitude).utf8
        if number < 0 { append(UInt8(ascii: "-")) }
        for _ in text.count..<Swift.max(digits, text.count) { append(UInt8(ascii: "0")) }
        append(contentsOf: text)
        append(UInt8(ascii: mark))
    }
}
