import PKI

/// The bytes that an entry's hash is taken over.
///
/// ```
/// hash    = SHA-256(field(tag) ‖ field(previous) ‖ field(seq) ‖ field(at) ‖ field(actor)
///                   ‖ field(act) ‖ field(subject) ‖ field(detail))
/// field x = length of x in bytes (8 bytes, big-endian) ‖ x
/// tag     = "purser ledger 1"        seq = 8 bytes, big-endian        texts = UTF-8, as stored
/// ```
///
/// Every field carries its length, so two different entries never have the same encoding; the tag
/// keeps a later version of this encoding apart.
enum LedgerEncoding {
    private static let tag = Array("purser ledger 1".utf8)

    static func hash(
        previous: [UInt8], sequence: Int64, at: String, actor: String, act: String,
        subject: String, detail: String
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(
            256 + actor.utf8.count + subject.utf8.count + detail.utf8.count)
        append(tag, to: &bytes)
        append(previous, to: &bytes)
        append(bigEndian(UInt64(bitPattern: sequence)), to: &bytes)
        for text in [at, actor, act, subject, detail] { append(Array(text.utf8), to: &bytes) }
        return SHA256.hash(bytes)
    }

    private static func append(_ field: [UInt8], to bytes: inout [UInt8]) {
        bytes += bigEndian(UInt64(field.count))
        bytes += field
    }

    private static func bigEndian(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }
}
