/// Writes the few DER shapes that certificates need (X.690), for extension values and tests.
///
/// Reading is ``DERReader``'s, and for whole objects OpenSSL's.
package enum DER {
    /// A tag, the length of `content`, and `content`.
    package static func value(tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        [tag] + length(content.count) + content
    }

    /// SEQUENCE of values that are already encoded.
    package static func sequence(_ values: [[UInt8]]) -> [UInt8] {
        value(tag: 0x30, values.flatMap { $0 })
    }

    /// NULL, which is what Apple's marker extensions hold.
    package static let null: [UInt8] = [0x05, 0x00]

    /// BOOLEAN.
    package static func boolean(_ flag: Bool) -> [UInt8] {
        value(tag: 0x01, [flag ? 0xFF : 0x00])
    }

    /// INTEGER of a number that is not negative.
    package static func integer(_ number: UInt64) -> [UInt8] {
        var bytes = (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> UInt64($0 * 8)) }
        while bytes.count > 1, bytes[0] == 0, bytes[1] < 0x80 {
            bytes.removeFirst()
        }
        return value(tag: 0x02, bytes[0] < 0x80 ? bytes : [0] + bytes)
    }

    /// OCTET STRING.
    package static func octetString(_ bytes: [UInt8]) -> [UInt8] {
        value(tag: 0x04, bytes)
    }

    /// UTF8String, such as the hash in Apple's 1.2.840.113635.100.6.32.
    package static func utf8String(_ text: String) -> [UInt8] {
        value(tag: 0x0C, Array(text.utf8))
    }

    /// BIT STRING of named flags, lowest bit number first (X.690 §11.2.2: no trailing zero bits).
    package static func bitString(_ bitNumbers: some Sequence<Int>) -> [UInt8] {
        var bytes: [UInt8] = []
        var highest = -1
        for bit in bitNumbers where bit >= 0 {
            while bytes.count <= bit / 8 { bytes.append(0) }
            bytes[bit / 8] |= 0x80 >> UInt8(bit % 8)
            highest = max(highest, bit)
        }
        let unused = highest < 0 ? 0 : 7 - highest % 8
        return value(tag: 0x03, [UInt8(unused)] + bytes)
    }

    /// OBJECT IDENTIFIER from dotted numbers; nil when the text is none.
    package static func objectIdentifier(_ dotted: String) -> [UInt8]? {
        let parts = dotted.split(separator: ".", omittingEmptySubsequences: false)
        let arcs = parts.compactMap { UInt64($0) }
        guard arcs.count == parts.count, arcs.count >= 2, arcs[0] <= 2,
            arcs[0] == 2 || arcs[1] < 40, arcs[1] <= UInt64.max - 80
        else { return nil }
        var content = base128(arcs[0] * 40 + arcs[1])
        for arc in arcs.dropFirst(2) {
            content += base128(arc)
        }
        return value(tag: 0x06, content)
    }

    private static func base128(_ number: UInt64) -> [UInt8] {
        var digits = [UInt8(number & 0x7F)]
        var rest = number >> 7
        while rest > 0 {
            digits.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
            rest >>= 7
        }
        return digits
    }

    private static func length(_ count: Int) -> [UInt8] {
        guard count >= 0x80 else { return [UInt8(count)] }
        var bytes: [UInt8] = []
        var rest = count
        while rest > 0 {
            bytes.insert(UInt8(rest & 0xFF), at: 0)
            rest >>= 8
        }
        return [0x80 | UInt8(bytes.count)] + bytes
    }
}
