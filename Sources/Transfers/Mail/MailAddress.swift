/// A mailbox that a mail can be sent from or to, safe to stand in an SMTP command and a header.
///
/// `local@domain` in visible ASCII (RFC 5321 §4.1.2, without quoted local parts, address literals
/// and the non-ASCII ones of RFC 6531): nothing in it can end a line or begin another argument.
package struct MailAddress: Sendable, Hashable, CustomStringConvertible {
    package let text: String

    /// - Throws: ``MailError/addressRefused``, which does not repeat the address.
    package init(_ text: String) throws(MailError) {
        let parts = text.utf8.split(
            separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2, (1...64).contains(parts[0].count), text.utf8.count <= 254,
            parts[0].allSatisfy(Self.isLocalCharacter), Self.isHostName(parts[1])
        else { throw .addressRefused }
        self.text = text
    }

    package var description: String { text }

    private static func isLocalCharacter(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && !"<>()[],;:\\\"@".utf8.contains(byte)
    }

    static func isHostName(_ name: Substring.UTF8View) -> Bool {
        !name.isEmpty && name.first != UInt8(ascii: "-") && name.first != UInt8(ascii: ".")
            && name.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }
}
