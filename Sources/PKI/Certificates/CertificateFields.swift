internal import COpenSSL
internal import Clocks

/// Reads the parts of an X509 object into plain values; every handle here is borrowed.
struct CertificateFields {
    let der: [UInt8]
    let serialNumber: String
    let notBefore: Timestamp
    let notAfter: Timestamp
    let publicKey: PublicKey
    let signatureAlgorithm: String

    init(of handle: OpaquePointer) throws(PKIError) {
        guard let der = unsafe encoded({ unsafe i2d_X509(handle, $0) }),
            let notBefore = unsafe Self.moment(X509_get0_notBefore(handle)),
            let notAfter = unsafe Self.moment(X509_get0_notAfter(handle)),
            let field = unsafe X509_get_X509_PUBKEY(handle)
        else { throw .notACertificate(.drain()) }
        self.der = der
        self.notBefore = notBefore
        self.notAfter = notAfter
        serialNumber = try unsafe Self.serialNumber(X509_get0_serialNumber(handle))
        publicKey = try unsafe PublicKey(inside: field)
        var algorithm: UnsafePointer<X509_ALGOR>?
        unsafe X509_get0_signature(nil, &algorithm, handle)
        signatureAlgorithm = unsafe algorithmName(algorithm)
    }

    static func keyUsage(of handle: OpaquePointer) -> Set<KeyUsage> {
        let bits = unsafe X509_get_key_usage(handle)
        // All bits: the extension is absent, or the extensions cannot be read.
        guard bits != UInt32.max else { return [] }
        return Set(KeyUsage.allCases.filter { bits & $0.mask != 0 })
    }

    static func extendedKeyUsage(of handle: OpaquePointer) -> [String] {
        guard let found = unsafe X509_get_ext_d2i(handle, NID_ext_key_usage, nil, nil) else {
            return []
        }
        let list = OpaquePointer(found)
        defer { unsafe EXTENDED_KEY_USAGE_free(list) }
        return (0..<max(0, unsafe purser_objects_count(list))).map {
            // Never left out: a list of one usage must not be taken for the only one.
            unsafe objectText(purser_objects_get0(list, $0)) ?? "unreadable"
        }
    }

    /// The extensions, the critical ones among them that OpenSSL does not act upon, and whether each
    /// can be named and has a value.
    static func extensions(of handle: OpaquePointer) -> (
        [Certificate.Extension], unhandled: [String], areReadable: Bool
    ) {
        var all: [Certificate.Extension] = []
        var unhandled: [String] = []
        var areReadable = true
        for index in 0..<max(0, unsafe X509_get_ext_count(handle)) {
            guard let found = unsafe X509_get_ext(handle, index),
                let oid = unsafe objectText(X509_EXTENSION_get_object(found)),
                let data = unsafe X509_EXTENSION_get_data(found)
            else {
                // What it says may be critical; OpenSSL names no identifier of more than 586 bytes.
                areReadable = false
                continue
            }
            let value = unsafe Array(
                UnsafeBufferPointer(
                    start: ASN1_STRING_get0_data(data), count: Int(ASN1_STRING_length(data))))
            let isCritical = unsafe X509_EXTENSION_get_critical(found) == 1
            all.append(.init(oid: oid, isCritical: isCritical, value: value))
            if isCritical, unsafe X509_supported_extension(found) != 1 {
                unhandled.append(oid)
            }
        }
        return (all, unhandled, areReadable)
    }

    static func ocspURLs(of handle: OpaquePointer) -> [String] {
        guard let list = unsafe X509_get1_ocsp(handle) else { return [] }
        defer { unsafe X509_email_free(list) }
        return (0..<max(0, unsafe purser_strings_count(list))).compactMap {
            unsafe purser_strings_get0(list, $0).map { unsafe String(cString: $0) }
        }
    }

    /// The addresses of the issuer's certificate; none where the extension cannot be read.
    static func issuersURLs(in extensions: [Certificate.Extension]) -> [String] {
        guard
            let value = extensions.first(where: { $0.oid == OID.authorityInformationAccess })?.value
        else { return [] }
        var outer = DERReader(value)
        guard let list = try? outer.next(), list.tag == 0x30 else { return [] }
        var descriptions = DERReader(list.content)
        var found: [String] = []
        while let description = try? descriptions.next() {
            var parts = DERReader(description.content)
            // AccessDescription { accessMethod, accessLocation: uniformResourceIdentifier [6] }
            guard description.tag == 0x30, let method = try? parts.next(), method.tag == 0x06,
                DERReader.objectIdentifier(method.content) == OID.issuersAccess,
                let location = try? parts.next(), location.tag == 0x86,
                location.content.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
            else { continue }
            found.append(String(decoding: location.content, as: UTF8.self))
        }
        return found
    }

    /// UTCTime and GeneralizedTime alike; nil for a date that is none.
    static func moment(_ time: UnsafePointer<ASN1_TIME>?) -> Timestamp? {
        var seconds: Int64 = 0
        guard unsafe purser_time_seconds(time, &seconds) == 1 else { return nil }
        return Timestamp(seconds: seconds)
    }

    /// Upper-case hex of the serial number.
    ///
    /// RFC 5280 §4.1.2.2: a positive number of at most 20 octets, and readers should put up with 0.
    /// So many roots have it, and some authorities draw 160 bits, whose encoding has a 21st octet.
    /// One of more octets than that, or below 0, no authority makes: OpenSSL and others do not agree
    /// on how to write it, and a certificate would be looked for under another name.
    private static func serialNumber(
        _ number: UnsafePointer<ASN1_INTEGER>?
    ) throws(PKIError) -> String {
        guard let value = unsafe ASN1_INTEGER_to_BN(number, nil) else {
            throw .notACertificate(.drain())
        }
        defer { unsafe BN_free(value) }
        guard unsafe BN_is_negative(value) == 0 else {
            throw .badSerialNumber("it is negative")
        }
        let bits = unsafe BN_num_bits(value)
        guard bits <= serialNumberBits else {
            throw .badSerialNumber("it has \((bits + 7) / 8) bytes; at most 20 are allowed")
        }
        guard let text = unsafe BN_bn2hex(value) else { throw .notACertificate(.drain()) }
        defer { unsafe purser_free(text) }
        return unsafe String(cString: text)
    }

    private static let serialNumberBits: Int32 = 160
}
