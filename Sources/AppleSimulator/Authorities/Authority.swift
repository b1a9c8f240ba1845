import Clocks
import PKI

/// A certificate authority of the stand-in's: a certificate with its key, minted at start.
struct Authority: Sendable {
    let certificate: Certificate
    let key: PrivateKey

    /// What every name of the stand-in's contains, so that nobody takes it for the real thing.
    static let mark = "Simulator (not Apple)"

    /// A self-signed root, named `name` and the mark, dated ten years around `now`.
    static func root(_ name: String, key: PrivateKey, now: Timestamp) throws -> Authority {
        let template = self.template(name, unit: "Certification Authority", key: key, now: now)
        return Authority(certificate: try template.issue(issuer: nil, issuerKey: key), key: key)
    }

    /// An intermediate with Apple's extension `marker`, below this one.
    func intermediate(
        _ name: String, unit: String, marker: String, key: PrivateKey, now: Timestamp
    ) throws -> Authority {
        var template = Self.template(name, unit: unit, key: key, now: now)
        template.pathLength = 0
        template.extraExtensions = [.init(oid: marker, value: DER.null)]
        return Authority(certificate: try issue(template), key: key)
    }

    /// Who may sign OCSP answers for this one, and nothing else.
    func responder(now: Timestamp) throws -> Authority {
        let key = try PrivateKey.generate(.ecP256)
        var template = Self.template("OCSP Responder", unit: "OCSP", key: key, now: now)
        template.isCA = false
        template.keyUsage = [.digitalSignature]
        template.extendedKeyUsage = [OID.ocspSigning]
        return Authority(certificate: try issue(template), key: key)
    }

    /// A self-signed authority that says it is this one, with another key.
    func impostor(_ algorithm: KeyAlgorithm) throws -> Authority {
        let key = try PrivateKey.generate(algorithm)
        var template = CertificateTemplate(
            subject: certificate.subject, publicKey: key.publicKey,
            notBefore: certificate.notBefore, notAfter: certificate.notAfter)
        template.isCA = true
        template.keyUsage = certificate.keyUsage
        return Authority(certificate: try template.issue(issuer: nil, issuerKey: key), key: key)
    }

    /// Signs what `template` says.
    func issue(_ template: CertificateTemplate) throws -> Certificate {
        try template.issue(issuer: certificate, issuerKey: key)
    }

    private static func template(
        _ name: String, unit: String, key: PrivateKey, now: Timestamp
    ) -> CertificateTemplate {
        var template = CertificateTemplate(
            subject: .init(
                commonName: "\(name) \(mark)", organizationalUnit: unit, organization: mark,
                country: "US"),
            publicKey: key.publicKey, notBefore: now.adding(days: -3_650),
            notAfter: now.adding(days: 3_650))
        template.isCA = true
        template.keyUsage = [.keyCertificateSign, .crlSign]
        return template
    }
}
