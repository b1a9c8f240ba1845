import PKI
import Testing

/// Looks into a PKCS#12 file's encoding, for what no command prints.
enum PKCS12Layout {
    /// The lengths of all salts: of the encrypted parts in their order, then of the code.
    ///
    /// A salt is the OCTET STRING that is followed by an INTEGER, within a SEQUENCE.
    static func saltLengths(of file: [UInt8]) throws -> [Int] {
        var lengths: [Int] = []
        try gather(file[...], into: &lengths)
        return lengths
    }

    private static func gather(_ bytes: ArraySlice<UInt8>, into lengths: inout [Int]) throws {
        var reader = DERReader(bytes)
        var previous: DERReader.Value?
        while !reader.isAtEnd {
            let value = try reader.next()
            if value.tag == 0x02, let previous, previous.tag == 0x04 {
                lengths.append(previous.content.count)
            }
            if value.tag & 0x20 != 0 {
                try gather(value.content, into: &lengths)
            } else if value.tag == 0x04, value.content.first == 0x30 {
                // The safes are OCTET STRINGs with DER inside; ciphertext may look so by chance.
                var inner: [Int] = []
                if (try? gather(value.content, into: &inner)) != nil { lengths += inner }
            }
            previous = value
        }
    }
}
