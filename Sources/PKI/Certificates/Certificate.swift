internal import COpenSSL
package import Clocks

/// An X.509 certificate: everything the program asks about it as plain values, read once.
///
/// Two are equal when their DER is. Reading it says nothing about who signed it: see
/// ``TrustStore``.
@safe package final class Certificate: Sendable {
    /// One extension as it stands.
    package struct Extension: Hashable, Sendable {
        package let oid: String
        package let isCritical: Bool
        /// The DER inside the OCTET STRING.
        package let value: [UInt8]

        package init(oid: String, isCritical: Bool = false, value: [UInt8]) {
            self.oid = oid
            self.isCritical = isCritical
            self.value = value
        }
    }

    package let der: [UInt8]
    /// SHA-256 of the DER, lower-case hex.
    package let sha256: String
    package let subject: DistinguishedName
    package let issuer: DistinguishedName
    /// Upper-case hex without separators, as Apple's API writes it.
    package let serialNumber: String
    package let notBefore: Timestamp
    /// The last second of validity.
    package let notAfter: Timestamp
    package let publicKey: PublicKey
    /// Empty where the extension is absent: what is not said is not allowed.
    package let keyUsage: Set<KeyUsage>
    /// Dotted; empty where the extension is absent.
    package let extendedKeyUsage: [String]
    /// Whether the basic constraints say that it may issue certificates.
    package let isCA: Bool
    /// Whether subject and issuer are the same and its own key signed it.
    package let isSelfSigned: Bool
    /// OpenSSL's name, such as `ecdsa-with-SHA256`.
    package let signatureAlgorithm: String
    package let extensions: [Extension]
    /// Critical extensions that OpenSSL does not act upon, such as Apple's own; dotted.
    package let unhandledCriticalExtensions: [String]
    /// Whether an extension cannot be read, or occurs twice; such a certificate never verifies.
    package let hasMalformedExtensions: Bool
    /// Where its revocation can be asked for (authority information access).
    package let ocspURLs: [String]
    /// Where its issuer's certificate is published (authority information access); not trusted.
    package let issuersURLs: [String]

    // X509 is reference counted; what OpenSSL caches in it later is under its own lock, and
    // nothing here changes it (man 7 openssl-threads).
    private nonisolated(unsafe) let handle: OpaquePointer

    /// The most bytes that are read as one certificate.
    package static let sizeLimit = 65_536

    /// Reads DER.
    ///
    /// - Throws: ``PKIError/notACertificate(_:)``, also for a date or a key that cannot be
    ///   expressed; ``PKIError/badSerialNumber(_:)``, ``PKIError/trailingBytes(after:)``,
    ///   ``PKIError/tooLarge(_:limit:)``.
    package convenience init(der: [UInt8]) throws(PKIError) {
        guard der.count <= Self.sizeLimit else {
            throw .tooLarge("certificate", limit: Self.sizeLimit)
        }
        OpenSSLReasons.forget()
        let (handle, used) = unsafe decoded(der) { unsafe d2i_X509(nil, $0, $1) }
        guard let handle = unsafe handle else { throw .notACertificate(.drain()) }
        guard used == der.count else {
            unsafe X509_free(handle)
            throw .trailingBytes(after: "certificate")
        }
        try unsafe self.init(takingOwnershipOf: handle)
    }

    /// Reads the one certificate in a PEM text; other blocks are passed over.
    ///
    /// - Throws: what ``init(der:)`` throws, and ``PKIError/malformedPEM(_:)`` where there is none
    ///   or more than one.
    package convenience init(pem: [UInt8]) throws(PKIError) {
        let blocks = try PEMDocument(pem).blocks.filter { $0.label == "CERTIFICATE" }
        guard let block = blocks.first else { throw .malformedPEM("it has no certificate") }
        guard blocks.count == 1 else { throw .malformedPEM("it has more than one certificate") }
        try self.init(der: block.der)
    }

    /// All certificates in a PEM text, in order; may be none.
    package static func all(inPEM text: [UInt8]) throws(PKIError) -> [Certificate] {
        var all: [Certificate] = []
        for block in try PEMDocument(text).blocks where block.label == "CERTIFICATE" {
            all.append(try Certificate(der: block.der))
        }
        return all
    }

    /// Reads a certificate that OpenSSL holds, and takes a reference of its own.
    convenience init(retaining handle: OpaquePointer) throws(PKIError) {
        unsafe X509_up_ref(handle)
        try unsafe self.init(takingOwnershipOf: handle)
    }

    init(takingOwnershipOf handle: OpaquePointer) throws(PKIError) {
        do {
            let fields = try unsafe CertificateFields(of: handle)
            der = fields.der
            sha256 = Hexadecimal.lowercase(SHA256.hash(fields.der))
            subject = unsafe DistinguishedName(of: X509_get_subject_name(handle))
            issuer = unsafe DistinguishedName(of: X509_get_issuer_name(handle))
            serialNumber = fields.serialNumber
            notBefore = fields.notBefore
            notAfter = fields.notAfter
            publicKey = fields.publicKey
            keyUsage = unsafe CertificateFields.keyUsage(of: handle)
            extendedKeyUsage = unsafe CertificateFields.extendedKeyUsage(of: handle)
            let flags = unsafe X509_get_extension_flags(handle)
            isCA = flags & UInt32(EXFLAG_CA) != 0
            isSelfSigned = unsafe X509_self_signed(handle, 1) == 1
            signatureAlgorithm = fields.signatureAlgorithm
            let found = unsafe CertificateFields.extensions(of: handle)
            extensions = found.0
            unhandledCriticalExtensions = found.unhandled
            hasMalformedExtensions = flags & UInt32(EXFLAG_INVALID) != 0 || !found.areReadable
            ocspURLs = unsafe CertificateFields.ocspURLs(of: handle)
            issuersURLs = CertificateFields.issuersURLs(in: found.0)
            OpenSSLReasons.forget()
        } catch {
            // The handle is not stored yet, so deinit does not run.
            unsafe X509_free(handle)
            throw error
        }
        unsafe self.handle = handle
    }

    deinit {
        unsafe X509_free(handle)
    }

    /// The certificate as PEM, 64 columns.
    package var pem: String { PEMDocument.text(label: "CERTIFICATE", der) }

    /// The value of the extension `oid` (the DER inside the OCTET STRING), or nil.
    package func extensionValue(_ oid: String) -> [UInt8]? {
        extensions.first { $0.oid == oid }?.value
    }

    /// Whether `moment` lies in its validity, both ends included (RFC 5280 §4.1.2.5).
    package func isValid(at moment: Timestamp) -> Bool {
        notBefore <= moment && moment <= notAfter
    }

    /// Lends OpenSSL's object for the time of `body`.
    func withHandle<Result, Failure: Error>(
        _ body: (OpaquePointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(self) {} }
        return try unsafe body(handle)
    }
}

extension Certificate: Hashable {
    package static func == (one: Certificate, other: Certificate) -> Bool { one.der == other.der }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(der)
    }
}

extension Certificate: CustomStringConvertible {
    package var description: String { "certificate \(serialNumber) of \(subject)" }
}
