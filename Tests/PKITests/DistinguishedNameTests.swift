import PKI
import TestSupport
import Testing

@Suite struct DistinguishedNameTests {
    @Test(arguments: [
        ("plain", "CN=plain"), ("a,b+c", "CN=a\\,b\\+c"), (" lead", "CN=\\ lead"),
        ("trail ", "CN=trail\\ "), ("#hash", "CN=\\#hash"), ("a\u{7}b", "CN=a\\07b"),
        ("a\u{202E}b", "CN=a\\E2\\80\\AEb"), ("ü", "CN=ü"), ("\\", "CN=\\\\"),
    ])
    func `text is escaped so that nothing breaks the line`(_ text: String, _ line: String) {
        #expect(DistinguishedName(commonName: text).rfc4514 == line)
    }

    @Test func `the most specific attribute is printed first`() {
        let name = DistinguishedName([
            .init(OID.country, "US"), .init(OID.organization, "Example"),
            .init(OID.commonName, "shop"), .init("1.2.3.4", "x", joinsPrevious: true),
        ])
        #expect(name.rfc4514 == "CN=shop+1.2.3.4=x,O=Example,C=US")
    }

    @Test func `attributes are found by identifier`() {
        let name = DistinguishedName([
            .init(OID.organizationalUnit, "one"), .init(OID.organizationalUnit, "two"),
        ])
        #expect(name.organizationalUnit == "one")
        #expect(name.all(OID.organizationalUnit) == ["one", "two"])
        #expect(name.commonName == nil)
    }

    @Test func `a name survives a certificate, sets and all`() throws {
        let key = try TestPKI.sharedKey(.ecP256)
        let name = DistinguishedName([
            .init(OID.country, "US"), .init(OID.organization, "Grüße AG"),
            // A set is encoded in the order of its members' encodings: the shorter comes first.
            .init(OID.userID, "merchant.a"),
            .init(
                OID.commonName, String(repeating: "long ", count: 40) + "name",
                joinsPrevious: true),
        ])
        let template = CertificateTemplate(
            subject: name, publicKey: key.publicKey, notBefore: TestTimes.now,
            notAfter: TestTimes.now)
        let certificate = try template.issue(issuer: nil, issuerKey: key)
        #expect(certificate.subject == name)
        #expect(certificate.issuer == name)
        let shown = try ForeignProcess.run(
            "openssl", ["x509", "-noout", "-subject", "-nameopt", "RFC2253,utf8,-esc_msb"],
            input: Array(certificate.pem.utf8))
        #expect(shown.text.contains("name+UID=merchant.a,"))
        #expect(shown.text.contains("O=Grüße AG,C=US"))
    }

    @Test func `other encodings than UTF-8 are read`() throws {
        // T61String (Latin 1 by custom), BMPString, and a BIT STRING, which is no text.
        let folder = TemporaryFolder()
        let configuration = """
            asn1=SEQUENCE:name
            [name]
            a=SET:a
            b=SET:b
            c=SET:c
            [a]
            a=SEQUENCE:a1
            [a1]
            o=OID:2.5.4.10
            v=FORMAT:UTF8,T61STRING:Gü
            [b]
            b=SEQUENCE:b1
            [b1]
            o=OID:2.5.4.11
            v=FORMAT:UTF8,BMPSTRING:Grüße
            [c]
            c=SEQUENCE:c1
            [c1]
            o=OID:2.5.4.3
            v=FORMAT:HEX,BITSTRING:05
            """
        let path = folder.write("asn1.cnf", Array(configuration.utf8))
        let made = try ForeignProcess.run(
            "openssl", ["asn1parse", "-genconf", path, "-noout", "-out", folder.file("name.der")])
        try #require(made.status == 0, "\(made.errorText)")
        let name = folder.read("name.der")
        let key = try TestPKI.sharedKey(.ecP256)
        let certificate = try CertificateTemplate(
            subject: .init(commonName: "x"), publicKey: key.publicKey, notBefore: TestTimes.now,
            notAfter: TestTimes.now
        ).issue(issuer: nil, issuerKey: key)
        let changed = try Certificate(der: replacingNames(in: certificate.der, with: name))
        #expect(changed.subject.organization == "Gü")
        #expect(changed.subject.organizationalUnit == "Grüße")
        #expect(changed.subject.commonName == "#05")
    }

    /// Rebuilds the outer sequences around the two names; the signature is left as it was.
    private func replacingNames(in der: [UInt8], with name: [UInt8]) throws -> [UInt8] {
        var outer = DERReader(der)
        var parts = DERReader(try outer.next().content)
        let signed = try parts.next()
        var fields = DERReader(signed.content)
        var values: [[UInt8]] = []
        while !fields.isAtEnd {
            values.append(Array(try fields.next().encoded))
        }
        // [0] version, number, algorithm, issuer, validity, subject, …
        values[3] = name
        values[5] = name
        var rest: [[UInt8]] = [DER.sequence(values)]
        while !parts.isAtEnd {
            rest.append(Array(try parts.next().encoded))
        }
        return DER.sequence(rest)
    }
}
