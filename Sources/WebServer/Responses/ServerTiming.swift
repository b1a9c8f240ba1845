/// One part of the time that an answer took, told to the caller in `Server-Timing`.
package struct ServerTiming: Sendable {
    /// A word of lower-case letters, such as `apple`.
    package let name: StaticString
    package let duration: Duration

    /// Tells that `name` took so long; none where it is negative.
    package init(_ name: StaticString, _ duration: Duration) {
        self.name = name
        self.duration = duration
    }
}

extension ServerTiming {
    /// The field's value: `total;dur=1.25, apple;dur=1.03`, in milliseconds (W3C Server Timing).
    static func field(total: Duration, _ parts: [ServerTiming]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(32 * (parts.count + 1))
        append("total", total, to: &text)
        for part in parts {
            text.append(UInt8(ascii: ","))
            text.append(UInt8(ascii: " "))
            append(part.name, part.duration, to: &text)
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func append(
        _ name: StaticString, _ duration: Duration, to text: inout [UInt8]
    ) {
        name.withUTF8Buffer { unsafe text.append(contentsOf: $0) }
        text.append(contentsOf: ";dur=".utf8)
        let (seconds, attoseconds) = max(duration, .zero).components
        let hundredths = seconds * 100_000 + attoseconds / 10_000_000_000_000
        text.append(contentsOf: String(hundredths / 100).utf8)
        text.append(UInt8(ascii: "."))
        text.append(UInt8(ascii: "0") + UInt8(hundredths / 10 % 10))
        text.append(UInt8(ascii: "0") + UInt8(hundredths % 10))
    }
}
