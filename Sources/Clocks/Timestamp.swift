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
    package var description: String {
        Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
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
