extension ForeignShape {
    /// Tells what `bytes` are; never fails and never runs long.
    package static func recognise(_ bytes: [UInt8]) -> ForeignShape {
        guard !bytes.isEmpty else { return .empty }
        if let text = text(in: bytes) { return recognise(text: text, bytes) }
        if bytes.starts(with: [0xFE, 0xED, 0xFE, 0xED])
            || bytes.starts(with: [0xCE, 0xCE, 0xCE, 0xCE])
        {
            return .javaKeystore
        }
        if isBinaryPGP(bytes) { return .pgp }
        return recognise(der: bytes)
    }

    // MARK: - Text

    /// The text, if it is one: UTF-8 without control characters.
    ///
    /// DER never is, beyond a few bytes.
    private static func text(in bytes: [UInt8]) -> String? {
        let isControl = { (byte: UInt8) in
            byte < 0x20 && ![0x09, 0x0A, 0x0C, 0x0D].contains(byte) || byte == 0x7F
        }
        guard !bytes.contains(where: isControl) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func recognise(text: String, _ bytes: [UInt8]) -> ForeignShape {
        let lines = text.split(omittingEmptySubsequences: true) { $0.isNewline }
        let begins = lines.filter {
            $0.hasPrefix("-----BEGIN ") || $0.hasPrefix("\u{FEFF}-----BEGIN ")
        }
        if begins.contains(where: { $0.contains("BEGIN PGP ") }) { return .pgp }
        if begins.contains(where: { $0.contains("OPENSSH PRIVATE KEY") }) { return .openSSHKey }
        if !begins.isEmpty { return recognise(pem: bytes) }
        guard let first = lines.first(where: { !$0.allSatisfy(\.isWhitespace) }) else {
            return .text
        }
        if isOpenSSH(first) { return .openSSHKey }
        let start = text.prefix(1024).lowercased()
        let looksLikeMarkup = start.drop(while: \.isWhitespace).hasPrefix("<")
        return looksLikeMarkup && (start.contains("<html") || start.contains("<!doctype html"))
            ? .html : .text
    }

    private static func recognise(pem bytes: [UInt8]) -> ForeignShape {
        do {
            let labels = try PEMDocument(bytes).blocks.map { block in
                block.isEncrypted && block.label.hasSuffix("PRIVATE KEY")
                    ? "ENCRYPTED PRIVATE KEY" : block.label
            }
            return labels.isEmpty ? .text : .pem(labels: labels)
        } catch .malformedPEM(let what) {
            return .damagedPEM(what: what)
        } catch {
            return .damagedPEM(what: "it is too large")
        }
    }

    private static func isOpenSSH(_ line: some StringProtocol) -> Bool {
        line.hasPrefix("ssh-") || line.hasPrefix("ecdsa-sha2-")
            || line.hasPrefix("sk-ssh-") || line.hasPrefix("---- BEGIN SSH2")
    }

    // MARK: - Binary

    /// An old-format packet of a public or secret key, version 4 (RFC 4880 §4.2).
    private static func isBinaryPGP(_ bytes: [UInt8]) -> Bool {
        bytes.count > 3 && [0x99, 0x95].contains(bytes[0]) && bytes[3] == 0x04
    }

    /// Tells what a binary value is by its first few fields.
    static func recognise(der bytes: [UInt8]) -> ForeignShape {
        guard bytes.first == 0x30 else { return .unknown }
        var reader = DERReader(bytes)
        let outer: DERReader.Value
        do {
            outer = try reader.next()
        } catch .truncated(let missing) {
            // Beyond 16 MiB the length is no length but chance.
            return missing < 1 << 24 ? .truncatedDER(missing: missing) : .unknown
        } catch {
            return .unknown
        }
        var parts = DERReader(outer.content)
        guard let first = try? parts.next() else { return .unknown }
        let second = try? parts.next()
        switch first.tag {
        case 0x06:
            return DERReader.objectIdentifier(first.content)?.hasPrefix("1.2.840.113549.1.7.")
                == true ? .pkcs7 : .unknown
        case 0x02:
            return recognise(version: first, second)
        case 0x30:
            return recognise(signed: first, second)
        default:
            return .unknown
        }
    }

    /// SEQUENCE { INTEGER, … }: PKCS#12 and the private keys.
    private static func recognise(
        version: DERReader.Value, _ second: DERReader.Value?
    ) -> ForeignShape {
        switch second?.tag {
        case 0x30 where Array(version.content) == [3]: .pkcs12
        // PKCS#8: an algorithm. PKCS#1: the modulus. SEC 1: the private number. Versions 0 and 1.
        case 0x30, 0x02, 0x04:
            [[0], [1]].contains(Array(version.content)) ? .privateKey(encrypted: false) : .unknown
        default: .unknown
        }
    }

    /// SEQUENCE { SEQUENCE, … }: what is signed, an encrypted key, or a public key.
    private static func recognise(
        signed first: DERReader.Value, _ second: DERReader.Value?
    ) -> ForeignShape {
        var inner = DERReader(first.content)
        let start = try? inner.next()
        switch (start?.tag, second?.tag) {
        case (0x06, 0x04): return .privateKey(encrypted: true)
        case (0x06, 0x03): return .publicKey
        // TBSCertificate with its explicit version.
        case (0xA0, 0x30): return .certificate
        case (0x02, 0x30):
            // After the number: a certificate of version 1 has an algorithm (that is, an
            // identifier inside), a request has its subject (sets inside, or nothing).
            guard let after = try? inner.next(), after.tag == 0x30 else { return .unknown }
            return after.content.first == 0x06 ? .certificate : .request
        default: return .unknown
        }
    }
}
