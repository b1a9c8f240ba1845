import Clocks
import PKI

/// The leaf that signs sessions (6.29), under the application integration intermediate.
struct SessionSigner: Sendable {
    let certificate: Certificate
    private let key: PrivateKey
    private let intermediate: Certificate

    init(under authority: Authority, now: Timestamp) throws {
        key = try PrivateKey.generate(.ecP256)
        var template = CertificateTemplate(
            subject: .init(
                commonName: "ecc-smp-broker-sign \(Authority.mark)",
                organizationalUnit: "Apple Systems \(Authority.mark)",
                organization: Authority.mark, country: "US"),
            publicKey: key.publicKey, notBefore: now.adding(days: -30),
            notAfter: now.adding(days: 5 * 365 - 30))
        template.keyUsage = [.digitalSignature]
        template.extraExtensions = [.init(oid: OID.applePaySigner, value: DER.null)]
        certificate = try authority.issue(template)
        intermediate = authority.certificate
    }

    /// A detached CMS over `bytes`, with this leaf and its issuer inside and no root, as Apple's.
    func sign(_ bytes: [UInt8], now: Timestamp) throws -> [UInt8] {
        let message = try CMS.signDetached(
            content: bytes, certificate: certificate, chain: [intermediate], key: key, at: now)
        return try Self.withIndefiniteLengths(message)
    }

    /// The same message in BER, its outer layers of indefinite length, as Apple writes it.
    ///
    /// Nothing that the signature covers is in those layers: ContentInfo, SignedData, the (empty)
    /// encapsulated content and the set of certificates (RFC 5652 §5.1).
    private static func withIndefiniteLengths(_ message: [UInt8]) throws -> [UInt8] {
        let contentInfo = try values(in: try single(message).content)
        let signedData = try values(in: try single(Array(contentInfo[1].content)).content)
        let parts = signedData.map { part -> [UInt8] in
            // version, digests, encapsulated content, [0] certificates, signers
            part.tag == 0x30 || part.tag == 0xA0
                ? indefinite(part.tag, Array(part.content)) : Array(part.encoded)
        }
        let inner = indefinite(0x30, parts.flatMap { $0 })
        return indefinite(0x30, Array(contentInfo[0].encoded) + indefinite(0xA0, inner))
    }

    private static func indefinite(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        [tag, 0x80] + content + [0, 0]
    }

    private static func single(_ bytes: [UInt8]) throws -> DERReader.Value {
        var reader = DERReader(bytes)
        return try reader.next()
    }

    private static func values(in bytes: ArraySlice<UInt8>) throws -> [DERReader.Value] {
        var reader = DERReader(bytes)
        var values: [DERReader.Value] = []
        while !reader.isAtEnd { values.append(try reader.next()) }
        return values
    }
}
