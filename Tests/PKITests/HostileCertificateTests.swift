import Clocks
import PKI
import TestSupport
import Testing

/// Certificates that no honest authority makes, and that OpenSSL reads all the same.
@Suite struct HostileCertificateTests {
    private func template() throws -> CertificateTemplate {
        CertificateTemplate(
            subject: .init(commonName: "hostile"),
            publicKey: try TestPKI.sharedKey(.ecP256).publicKey,
            notBefore: TestTimes.now, notAfter: TestTimes.now.adding(days: 1))
    }

    /// A certificate whose issuer wrote `extra` after the other extensions, signed by itself.
    private func certificate(_ extra: [Certificate.Extension]) throws -> Certificate {
        var template = try template()
        template.isCA = true
        template.extraExtensions = extra
        return try template.issue(issuer: nil, issuerKey: TestPKI.sharedKey(.ecP256))
    }

    /// The certificate's DER with another encoding of the serial number; the signature breaks.
    private func der(serialNumber: [UInt8]) throws -> [UInt8] {
        let whole = try certificate([]).der
        var outer = DERReader(whole)
        var parts = DERReader(try outer.next().content)
        var fields = DERReader(try parts.next().content)
        var content = [Array(try fields.next().encoded)]
        _ = try fields.next()
        content.append(DER.value(tag: 0x02, serialNumber))
        while !fields.isAtEnd { content.append(Array(try fields.next().encoded)) }
        var all = [DER.sequence(content)]
        while !parts.isAtEnd { all.append(Array(try parts.next().encoded)) }
        return DER.sequence(all)
    }

    // 255 characters and fewer fit the first room for the text; OpenSSL names none of more than 586
    // bytes at all.
    @Test(arguments: [2, 125, 126, 127, 128, 129, 200, 500, 580, 585, 586, 600, 2_000])
    func `a critical extension counts, however long its name is`(arcs: Int) throws {
        let oid = "1.2" + String(repeating: ".3", count: arcs)
        let hostile = try certificate([.init(oid: oid, isCritical: true, value: DER.null)])
        #expect(
            hostile.unhandledCriticalExtensions == [oid] || hostile.hasMalformedExtensions)
        #expect(hostile.hasMalformedExtensions == !hostile.extensions.contains { $0.oid == oid })
        #expect(hostile.hasMalformedExtensions == (arcs >= 586))
        let verdict = TrustStore(roots: [hostile]).verify(
            hostile, intermediates: [], at: TestTimes.now)
        if case .verified = verdict { Issue.record("it verifies") }
    }

    @Test(arguments: [130, 600])
    func `a usage with a long name is not left out`(arcs: Int) throws {
        var template = try template()
        template.extendedKeyUsage = [
            OID.clientAuth, "1.2" + String(repeating: ".3", count: arcs),
        ]
        let hostile = try template.issue(
            issuer: nil, issuerKey: TestPKI.sharedKey(.ecP256))
        #expect(hostile.extendedKeyUsage.count == 2)
    }

    @Test(arguments: [[0x80], [0xFF], [0xFF, 0x00], [0x80] + [UInt8](repeating: 0, count: 19)])
    func `a negative serial number is refused`(number: [UInt8]) throws {
        #expect(throws: PKIError.badSerialNumber("it is negative")) {
            try Certificate(der: der(serialNumber: number))
        }
    }

    @Test func `a serial number of no bytes, or of more than 20, is refused`() throws {
        let none = #expect(throws: PKIError.self) { try Certificate(der: der(serialNumber: [])) }
        #expect(none?.code == "pki.not-a-certificate")
        for count in [21, 40, 10_000] {
            #expect(
                throws: PKIError.badSerialNumber("it has \(count) bytes; at most 20 are allowed")
            ) {
                try Certificate(der: der(serialNumber: [UInt8](repeating: 0x7F, count: count)))
            }
        }
    }

    // RFC 5280 §4.1.2.2: 0 is wrong, and old roots have it; 160 drawn bits may need a 21st octet.
    @Test(
        arguments: [
            ([0x00], "0"), ([0x01], "01"), ([0x00, 0x80], "80"),
            ([0x00] + [UInt8](repeating: 0xFF, count: 20), String(repeating: "FF", count: 20)),
            ([UInt8](repeating: 0x7F, count: 20), String(repeating: "7F", count: 20)),
        ] as [([UInt8], String)])
    func `serial numbers that authorities do make are read`(number: [UInt8], text: String) throws {
        #expect(try Certificate(der: der(serialNumber: number)).serialNumber == text)
    }

    @Test func `an extension that stands twice, or cannot be read, is told`() throws {
        let usage = Certificate.Extension(oid: OID.keyUsage, value: [0x05])
        #expect(try certificate([usage]).hasMalformedExtensions)
        let twice = Certificate.Extension(
            oid: OID.basicConstraints, isCritical: true, value: DER.sequence([]))
        #expect(try certificate([twice]).hasMalformedExtensions)
        #expect(try !certificate([]).hasMalformedExtensions)
    }
}
