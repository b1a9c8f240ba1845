/// One mail to one recipient, whose outcome is therefore one.
package struct MailEnvelope: Sendable {
    /// Where the server sends what it cannot deliver.
    package let sender: MailAddress
    package let recipient: MailAddress
    /// Headers, an empty line and the text (RFC 5322).
    package let message: [UInt8]

    /// Checks nothing before it is sent.
    package init(sender: MailAddress, recipient: MailAddress, message: [UInt8]) {
        self.sender = sender
        self.recipient = recipient
        self.message = message
    }

    /// Refuses what servers would read as something else: a bare CR or LF, a NUL, a byte beyond
    /// ASCII, or a line of more than 998 bytes (RFC 5321 §2.3.8, RFC 5322 §2.1.1).
    ///
    /// Bare line ends are how one mail is smuggled within another.
    ///
    /// - Throws: ``MailError/messageRefused(_:)``.
    func validate() throws(MailError) {
        var length = 0
        var previous: UInt8 = 0
        for byte in message {
            let isEnd = byte == 0x0A && previous == 0x0D
            guard isEnd || (byte != 0x0A && previous != 0x0D) else {
                throw .messageRefused("a line does not end in CR LF")
            }
            guard byte != 0, byte < 0x80 else {
                throw .messageRefused("it is not in ASCII")
            }
            length = isEnd ? 0 : length + 1
            // The CR counts here, and not there.
            guard length <= 999 else { throw .messageRefused("a line is longer than 998 bytes") }
            previous = byte
        }
        guard previous == 0x0A else { throw .messageRefused("its last line does not end") }
    }
}
