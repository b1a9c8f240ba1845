/// What a certificate allows its key to do (RFC 5280 §4.2.1.3); the raw value is the bit number.
package enum KeyUsage: Int, Hashable, Sendable, CaseIterable {
    case digitalSignature = 0
    case nonRepudiation
    case keyEncipherment
    case dataEncipherment
    case keyAgreement
    case keyCertificateSign
    case crlSign
    case encipherOnly
    case decipherOnly

    /// OpenSSL's mask (KU_…): the first octet's bits, and bit 8 in the second octet.
    var mask: UInt32 {
        rawValue < 8 ? 0x80 >> UInt32(rawValue) : 0x8000
    }
}
