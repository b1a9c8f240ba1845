internal import COpenSSL
package import Secrets

extension PrivateKey {
    /// The most bytes that are read as one private key, in whatever form.
    package static let sizeLimit = 65_536

    /// Reads an unencrypted key: DER of PKCS#8, of PKCS#1 (RSA) or of SEC 1 (EC).
    ///
    /// Never asks for a password. The private half is proven against the public half by a
    /// signature, because PKCS#8 and SEC 1 may hold two halves that do not belong together.
    ///
    /// - Throws: ``PKIError/privateKeyEncrypted``, ``PKIError/notAPrivateKey(_:)``,
    ///   ``PKIError/keyHalvesDiffer``, ``PKIError/trailingBytes(after:)``,
    ///   ``PKIError/tooLarge(_:limit:)``.
    package convenience init(der: SecretBytes) throws(PKIError) {
        try self.init(unproven: der)
        try proveHalves()
    }

    /// Reads as ``init(der:)`` and leaves the proof, which costs ``proofCost``, to the caller.
    convenience init(unproven der: SecretBytes) throws(PKIError) {
        guard der.count <= Self.sizeLimit else {
            throw .tooLarge("private key", limit: Self.sizeLimit)
        }
        if Self.looksEncrypted(der) { throw .privateKeyEncrypted }
        OpenSSLReasons.forget()
        let (handle, used) = unsafe der.withUnsafeBytes { buffer in
            unsafe decoded(buffer) { unsafe d2i_AutoPrivateKey_ex(nil, $0, $1, nil, nil) }
        }
        guard let handle = unsafe handle else { throw .notAPrivateKey(.drain()) }
        OpenSSLReasons.forget()
        try unsafe self.init(takingOwnershipOf: handle)
        guard used == der.count else { throw .trailingBytes(after: "private key") }
    }

    /// Reads the one private key in a PEM text; certificates and text around it are passed over.
    ///
    /// - Throws: what ``init(der:)`` throws, and ``PKIError/malformedPEM(_:)`` where there is no
    ///   key or more than one.
    package convenience init(pem: SecretBytes) throws(PKIError) {
        let keys = try PEMDocument(pem).blocks.filter { $0.label.hasSuffix("PRIVATE KEY") }
        guard let block = keys.first else { throw .malformedPEM("it has no private key") }
        guard keys.count == 1 else { throw .malformedPEM("it has more than one private key") }
        guard !block.isEncrypted else { throw .privateKeyEncrypted }
        guard block.label != "OPENSSH PRIVATE KEY" else {
            throw .unsupportedKey("in OpenSSH's own form")
        }
        try self.init(der: block.contents)
    }

    /// The key as unencrypted PKCS#8 DER.
    ///
    /// OpenSSL's encoder works in memory that it clears; the one copy it makes inside and frees
    /// uncleared cannot be reached from here.
    package func pkcs8DER() throws(PKIError) -> SecretBytes {
        OpenSSLReasons.forget()
        guard let output = unsafe BIO_new(BIO_s_secmem()) else {
            throw .library("encode a key", .drain())
        }
        // A BIO of this sort clears its memory when it grows and when it is freed.
        defer { unsafe BIO_free_all(output) }
        try unsafe withHandle { key throws(PKIError) in
            let context = unsafe purser_pkcs8_encoder(key)
            defer { unsafe OSSL_ENCODER_CTX_free(context) }
            guard unsafe OSSL_ENCODER_to_bio(context, output) == 1 else {
                throw .library("encode a key", .drain())
            }
        }
        var start: UnsafeMutablePointer<CChar>?
        let length = unsafe purser_bio_contents(output, &start)
        guard length > 0, let start = unsafe start else {
            throw .library("encode a key", .drain())
        }
        return unsafe SecretBytes(count: length) {
            unsafe $0.copyMemory(from: UnsafeRawBufferPointer(start: start, count: length))
        }
    }

    /// The key as unencrypted PKCS#8 PEM (`BEGIN PRIVATE KEY`), 64 columns.
    package func pkcs8PEM() throws(PKIError) -> SecretBytes {
        try PEMDocument.text(label: "PRIVATE KEY", pkcs8DER())
    }

    /// EncryptedPrivateKeyInfo begins with two SEQUENCEs; a plain key has an INTEGER second.
    static func looksEncrypted(_ der: SecretBytes) -> Bool {
        unsafe der.withUnsafeBytes { buffer in
            // The headers alone are copied: no secret is in them.
            let start = unsafe Array(buffer.prefix(8))
            guard start.count == 8, start[0] == 0x30, start[1] != 0x80 else { return false }
            let header = start[1] < 0x80 ? 2 : 2 + Int(start[1] & 0x7F)
            return header < 8 && start[header] == 0x30
        }
    }

    /// What ``proveHalves()`` costs, in iterations of PBKDF2: about a thousand for RSA 2048, and for
    /// others in proportion to the cube of the length.
    var proofCost: Int {
        guard case .rsa(let bits) = publicKey.algorithm else { return 1_000 }
        let ratio = max(1, min(bits, 16_384) / 1_024)
        return ratio * ratio * ratio * 150
    }

    /// Signs and verifies, so that a private half is never kept under another key's name.
    func proveHalves() throws(PKIError) {
        switch publicKey.algorithm {
        // The work grows with the cube of the length, and the file's maker chooses that.
        case .rsa(let bits) where bits > 8_192: throw .unsupportedKey("RSA \(bits)")
        case .rsa, .ellipticCurve: break
        // Other sorts are not used by anything here, and not all sign with SHA-256.
        case .other: return
        }
        let message = Array("the two halves belong together".utf8)
        guard let signature = try? sign(message), publicKey.verifies(signature, of: message) else {
            throw .keyHalvesDiffer
        }
    }
}
