/// Walks over encoded values without trusting their lengths; for looking, not for verifying.
///
/// It tells a cut-off file from a damaged one, and finds the end of the outermost value.
package struct DERReader: Sendable {
    /// One value: its identifier octet and its content.
    package struct Value: Sendable, Equatable {
        package let tag: UInt8
        package let content: ArraySlice<UInt8>
        /// The whole value with tag and length; for an indefinite length up to the end of the bytes.
        package let encoded: ArraySlice<UInt8>
        /// The length was not given (BER `80`), as old tools write PKCS#7 and PKCS#12.
        package let isIndefinite: Bool
    }

    /// Why no value could be read.
    package enum Failure: Error, Equatable {
        /// Nothing is left.
        case end
        /// The length says that `missing` more bytes should follow.
        case truncated(missing: Int)
        /// This is no BER: a tag or length of a form that is not used.
        case malformed
    }

    private var rest: ArraySlice<UInt8>

    /// A reader at the start of `bytes`.
    package init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    /// A reader at the start of `bytes`.
    package init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    /// Whether everything was read.
    package var isAtEnd: Bool { rest.isEmpty }

    /// Reads the next value and steps over it; throws ``Failure``.
    package mutating func next() throws(Failure) -> Value {
        guard let tag = rest.first else { throw .end }
        // High tag numbers (31 and above) do not occur in anything that is read here.
        guard tag & 0x1F != 0x1F else { throw .malformed }
        guard rest.count >= 2 else { throw .truncated(missing: 1) }
        let first = rest[rest.startIndex + 1]
        var header = 2
        var length = Int(first)
        if first == 0x80 {
            guard tag & 0x20 != 0 else { throw .malformed }
            let value = Value(
                tag: tag, content: rest.dropFirst(2), encoded: rest, isIndefinite: true)
            rest = rest[rest.endIndex...]
            return value
        }
        if first > 0x80 {
            let count = Int(first & 0x7F)
            guard count <= 4 else { throw .malformed }
            guard rest.count >= 2 + count else { throw .truncated(missing: 2 + count - rest.count) }
            header += count
            length = rest.dropFirst(2).prefix(count).reduce(0) { $0 << 8 | Int($1) }
        }
        guard rest.count - header >= length else {
            throw .truncated(missing: length - (rest.count - header))
        }
        let encoded = rest.prefix(header + length)
        rest = rest.dropFirst(header + length)
        return Value(
            tag: tag, content: encoded.dropFirst(header), encoded: encoded, isIndefinite: false)
    }

    /// Dotted text of an OBJECT IDENTIFIER's content; nil when it is none.
    package static func objectIdentifier(_ content: ArraySlice<UInt8>) -> String? {
        guard let last = content.last, last < 0x80 else { return nil }
        var arcs: [UInt64] = []
        var number: UInt64 = 0
        for byte in content {
            guard number < 1 << 56 else { return nil }
            number = number << 7 | UInt64(byte & 0x7F)
            if byte < 0x80 {
                arcs.append(number)
                number = 0
            }
        }
        let first = min(arcs[0] / 40, 2)
        let all = [first, arcs[0] - first * 40] + arcs.dropFirst()
        return all.map(String.init).joined(separator: ".")
    }
}
