import Clocks
import PKI

/// Look-alikes of Apple's authorities, with keys, depth, marks and names as there.
struct AppleAuthorities: Sendable {
    /// Like Apple Root CA: RSA.
    let identityRoot: Authority
    /// Like Worldwide Developer Relations (OU G3): RSA; issues merchant identities.
    let identityIntermediate: Authority
    /// Like Apple Root CA - G3: EC.
    let processingRoot: Authority
    /// Like Worldwide Developer Relations CA - G2: EC; issues processing certificates, the RSA
    /// ones for mainland China too.
    let processingIntermediate: Authority
    /// Like Apple Application Integration CA - G3: EC; issues the signers of sessions and tokens.
    let integrationIntermediate: Authority
    /// Signs OCSP answers about merchant identities: EC, with the right from ``identityIntermediate``.
    let identityResponder: Authority
    /// The intermediates' names and identifiers with other keys: what they sign verifies to nothing.
    let identityStranger: Authority
    let processingStranger: Authority

    /// The RSA keys of every stand-in of this process; certificates are each one's own.
    ///
    /// They take long to make, and a process of tests has hundreds of stand-ins.
    private static let rsaKeys = Result {
        (root: try PrivateKey.generate(.rsa2048), intermediate: try PrivateKey.generate(.rsa2048))
    }

    init(now: Timestamp) throws {
        let rsaKeys = try Self.rsaKeys.get()
        let relations = "Worldwide Developer Relations Certification Authority"
        identityRoot = try .root("Root CA", key: rsaKeys.root, now: now)
        identityIntermediate = try identityRoot.intermediate(
            relations, unit: "G3", marker: OID.appleDeveloperRelationsAuthority,
            key: rsaKeys.intermediate, now: now)
        processingRoot = try .root("Root CA - G3", key: PrivateKey.generate(.ecP256), now: now)
        processingIntermediate = try processingRoot.intermediate(
            "Worldwide Developer Relations CA - G2", unit: "Certification Authority",
            marker: OID.appleDeveloperRelationsAuthorityG2, key: PrivateKey.generate(.ecP256),
            now: now)
        integrationIntermediate = try processingRoot.intermediate(
            "Application Integration CA - G3", unit: "Certification Authority",
            marker: OID.appleApplicationIntegrationAuthority, key: PrivateKey.generate(.ecP256),
            now: now)
        identityResponder = try identityIntermediate.responder(now: now)
        identityStranger = try identityIntermediate.impostor(.ecP256)
        processingStranger = try processingIntermediate.impostor(.ecP256)
    }
}
