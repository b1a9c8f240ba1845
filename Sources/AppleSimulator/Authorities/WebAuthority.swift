import Clocks
import PKI
import Secrets
import TLSServer

/// The certificate authority of the gateways' and the portal's own TLS certificates.
///
/// Clients judge those by the machine's clock, so they are dated by it and not by the injected one.
struct WebAuthority: Sendable {
    let root: Authority
    private let stranger: Authority
    private let now: Timestamp

    init(now: Timestamp) throws {
        self.now = now
        root = try .root("Web CA", key: PrivateKey.generate(.ecP256), now: now)
        stranger = try .root("Web CA", key: PrivateKey.generate(.ecP256), now: now)
    }

    /// A certificate with its key for a server on localhost, with the fault asked for.
    func identity(_ kind: Rudeness.ServerCertificate) throws -> TLSIdentity {
        let key = try PrivateKey.generate(.ecP256)
        let isExpired = kind == .expired
        var template = CertificateTemplate(
            subject: .init(commonName: "localhost", organization: Authority.mark),
            publicKey: key.publicKey, notBefore: now.adding(days: isExpired ? -100 : -1),
            notAfter: now.adding(days: isExpired ? -10 : 90))
        template.subjectAlternativeNames =
            kind == .wrongName
            ? [.dns("elsewhere.example.com")]
            : [
                .dns("localhost"), .address([127, 0, 0, 1]),
                .address([UInt8](repeating: 0, count: 15) + [1]),
            ]
        template.keyUsage = [.digitalSignature]
        template.extendedKeyUsage = [OID.serverAuth]
        let issuer = kind == .untrusted ? stranger : root
        return TLSIdentity(
            chainPEM: Array(try issuer.issue(template).pem.utf8), keyPEM: try key.pkcs8PEM())
    }
}
