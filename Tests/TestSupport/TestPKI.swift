package import Clocks
package import PKI

/// A stand-in for Apple's certificate authorities: real certificates of Apple's shapes, minted now.
///
/// Identity certificates come from an RSA intermediate under an RSA root, processing certificates
/// from an EC intermediate under an EC root, as at Apple. Keys are made once a process, because RSA
/// keys take long; certificates are minted for each instance, dated around its `now`.
package struct TestPKI: Sendable {
    /// A certificate that issues others, with its key.
    package struct Authority: Sendable {
        package let certificate: Certificate
        package let key: PrivateKey
    }

    /// The moment around which everything is dated.
    package let now: Timestamp
    /// The OCSP address in leaves minted from now on.
    package var ocspURL: String? = "http://ocsp.test.invalid/ocsp03-wwdr"
    /// Like Apple Root CA: RSA.
    package let identityRoot: Authority
    /// Like WWDR (OU G3): RSA, under ``identityRoot``, with marker 6.2.1.
    package let identityIntermediate: Authority
    /// Like Apple Root CA - G3: EC.
    package let processingRoot: Authority
    /// Like WWDR CA - G2: EC, under ``processingRoot``, with marker 6.2.15.
    package let processingIntermediate: Authority
    /// Like Application Integration CA - G3: EC, under ``processingRoot``, with marker 6.2.14.
    package let integrationIntermediate: Authority
    /// A root that nobody trusts: RSA, with the name of ``identityRoot``.
    package let stranger: Authority

    /// Mints the authorities, valid from ten years before `now` to ten years after it.
    package init(now: Timestamp) throws {
        self.now = now
        let keys = try Keys.shared.get()
        let minter = AuthorityMinter(now: now)
        identityRoot = try minter.root("Test Root CA", key: keys.identityRoot)
        identityIntermediate = try minter.intermediate(
            "Test Worldwide Developer Relations Certification Authority", unit: "G3",
            marker: OID.appleDeveloperRelationsAuthority, key: keys.identityIntermediate,
            under: identityRoot)
        processingRoot = try minter.root("Test Root CA - G3", key: keys.processingRoot)
        processingIntermediate = try minter.intermediate(
            "Test Worldwide Developer Relations CA - G2", unit: "Test Certification Authority",
            marker: OID.appleDeveloperRelationsAuthorityG2, key: keys.processingIntermediate,
            under: processingRoot)
        integrationIntermediate = try minter.intermediate(
            "Test Application Integration CA - G3", unit: "Test Certification Authority",
            marker: OID.appleApplicationIntegrationAuthority, key: keys.integrationIntermediate,
            under: processingRoot)
        stranger = try minter.root("Test Root CA", key: keys.stranger)
    }

    /// Both roots, as an operator would trust them.
    package var trust: TrustStore {
        TrustStore(roots: [identityRoot.certificate, processingRoot.certificate])
    }

    /// What stands between the leaves and the roots.
    package var intermediates: [Certificate] {
        [
            identityIntermediate.certificate, processingIntermediate.certificate,
            integrationIntermediate.certificate,
        ]
    }

    /// A key of Apple's sort for each kind of certificate; made once a process, so never unique.
    package static func sharedKey(_ algorithm: KeyAlgorithm) throws -> PrivateKey {
        let keys = try Keys.shared.get()
        return algorithm == .rsa2048 ? keys.identityLeaf : keys.processingLeaf
    }
}

/// The keys that all instances share.
private struct Keys: Sendable {
    let identityRoot: PrivateKey
    let identityIntermediate: PrivateKey
    let processingRoot: PrivateKey
    let processingIntermediate: PrivateKey
    let integrationIntermediate: PrivateKey
    let stranger: PrivateKey
    let identityLeaf: PrivateKey
    let processingLeaf: PrivateKey

    static let shared = Result { try Keys() }

    init() throws {
        identityRoot = try .generate(.rsa2048)
        identityIntermediate = try .generate(.rsa2048)
        processingRoot = try .generate(.ecP256)
        processingIntermediate = try .generate(.ecP256)
        integrationIntermediate = try .generate(.ecP256)
        stranger = try .generate(.rsa2048)
        identityLeaf = try .generate(.rsa2048)
        processingLeaf = try .generate(.ecP256)
    }
}

/// Makes roots and intermediates of Apple's shapes.
private struct AuthorityMinter {
    let now: Timestamp

    func root(_ name: String, key: PrivateKey) throws -> TestPKI.Authority {
        let template = self.template(name, unit: "Test Certification Authority", key: key)
        return .init(certificate: try template.issue(issuer: nil, issuerKey: key), key: key)
    }

    func intermediate(
        _ name: String, unit: String, marker: String, key: PrivateKey,
        under root: TestPKI.Authority
    ) throws -> TestPKI.Authority {
        var template = self.template(name, unit: unit, key: key)
        template.pathLength = 0
        template.extraExtensions = [.init(oid: marker, value: DER.null)]
        let certificate = try template.issue(issuer: root.certificate, issuerKey: root.key)
        return .init(certificate: certificate, key: key)
    }

    private func template(_ name: String, unit: String, key: PrivateKey) -> CertificateTemplate {
        var template = CertificateTemplate(
            subject: .init(
                commonName: name, organizationalUnit: unit, organization: "Test Inc.", country: "US"
            ),
            publicKey: key.publicKey, notBefore: now.adding(days: -3650),
            notAfter: now.adding(days: 3650))
        template.isCA = true
        template.keyUsage = [.keyCertificateSign, .crlSign]
        return template
    }
}
