package import Secrets

/// The blocks of a PEM text (RFC 7468, and RFC 1421's headers), read strictly.
///
/// Lines may end in LF or CRLF, and text may stand before, between and after the blocks. A block
/// without end, with another label at its end, or with anything but base64 inside is refused. What
/// is in a block is kept as a secret, because it may be a key.
package struct PEMDocument: Sendable {
    /// What stands between one BEGIN line and its END line.
    package struct Block: Sendable {
        /// Such as `CERTIFICATE`.
        package let label: String
        /// RFC 1421 headers (`Proc-Type`, `DEK-Info`) as they stand, in order.
        package let headers: [String]
        /// The decoded bytes.
        package let contents: SecretBytes

        /// A copy of the decoded bytes, for what is public.
        package var der: [UInt8] { unsafe contents.withUnsafeBytes { unsafe Array($0) } }

        /// Whether it says that a password is needed, in either of the two ways of doing so.
        package var isEncrypted: Bool {
            label == "ENCRYPTED PRIVATE KEY"
                || headers.contains { $0.hasPrefix("Proc-Type:") && $0.hasSuffix("ENCRYPTED") }
        }
    }

    /// The blocks in their order; may be none.
    package let blocks: [Block]

    /// The most bytes that are read as one PEM text.
    package static let sizeLimit = 1_048_576

    /// The most blocks that are read.
    package static let blockLimit = 256

    /// Reads a text; throws ``PKIError/malformedPEM(_:)`` or ``PKIError/tooLarge(_:limit:)``.
    package init(_ text: SecretBytes) throws(PKIError) {
        blocks = try unsafe text.withUnsafeBytes { buffer throws(PKIError) in
            try unsafe Self.read(buffer)
        }
    }

    /// The same, for a text that is not secret.
    package init(_ text: [UInt8]) throws(PKIError) {
        try self.init(SecretBytes(copying: text))
    }

    /// Writes one block of 64 columns with LF line ends.
    package static func text(label: String, _ der: [UInt8]) -> String {
        var lines = "-----BEGIN \(label)-----\n"
        for start in stride(from: 0, to: der.count, by: 48) {
            lines += Base64.encode(der[start..<min(start + 48, der.count)]) + "\n"
        }
        return lines + "-----END \(label)-----\n"
    }

    /// Whether a line begins a block; for telling what a file is.
    package static func isBegin(line: some StringProtocol) -> Bool {
        line.hasPrefix("-----BEGIN ") && line.hasSuffix("-----") && line.utf8.count > 16
    }
}
