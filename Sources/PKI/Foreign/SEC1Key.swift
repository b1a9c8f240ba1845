internal import Secrets

/// An EC key as SEC 1 writes it (RFC 5915), which may leave out its curve.
///
/// Where it does, the curve stands before it in a block of its own, EC PARAMETERS, as old versions
/// of OpenSSL and some hardware write it; no reader of single keys knows what to do with that.
enum SEC1Key {
    /// The key with its curve put in; nil where it names one itself, or is no key of this form.
    static func completed(_ der: SecretBytes, by parameters: [UInt8]) -> SecretBytes? {
        var bytes = unsafe der.withUnsafeBytes { unsafe Array($0) }
        defer { wipe(&bytes) }
        guard let gap = gap(in: bytes) else { return nil }
        let curve = DER.value(tag: 0xA0, parameters)
        let count = gap.content.count + curve.count
        let sequence = DER.value(tag: 0x30, [UInt8](repeating: 0, count: count))
        let header = sequence.prefix(sequence.count - count)
        return unsafe SecretBytes(count: sequence.count) { output in
            var position = 0
            for part in [
                header, bytes[gap.content.lowerBound..<gap.position], curve[...],
                bytes[gap.position..<gap.content.upperBound],
            ] {
                for byte in part {
                    unsafe output[position] = byte
                    position += 1
                }
            }
        }
    }

    /// Where the curve belongs: behind the version and the secret number.
    ///
    /// Nothing of the key outlives this call, so that the caller can wipe it.
    private static func gap(in bytes: [UInt8]) -> (content: Range<Int>, position: Int)? {
        var outer = DERReader(bytes)
        guard let sequence = try? outer.next(), sequence.tag == 0x30, !sequence.isIndefinite else {
            return nil
        }
        var fields = DERReader(sequence.content)
        guard let version = try? fields.next(), version.encoded.elementsEqual([0x02, 0x01, 0x01]),
            let number = try? fields.next(), number.tag == 0x04
        else { return nil }
        if let next = try? fields.next(), next.tag == 0xA0 { return nil }
        return (sequence.content.startIndex..<sequence.content.endIndex, number.encoded.endIndex)
    }
}
