import Merchants
package import PKI
package import Secrets

/// A CSR that somebody else has made, read from whatever form it came in.
///
/// What Apple's portal would refuse is told before anybody visits it: the signature must be that of
/// the key it is for, and the key of the sort that its kind asks for.
package struct RequestFile: Sendable {
    package let request: CertificateSigningRequest
    /// Things a person should know.
    package let warnings: [ImportWarning]

    /// Reads `bytes`.
    ///
    /// - Throws: ``PKIError`` for what cannot be read; ``IssuanceError/requestWithKey``,
    ///   ``IssuanceError/noRequest(_:)``, ``IssuanceError/severalRequests(_:)``,
    ///   ``IssuanceError/requestUnsigned``.
    package init(_ bytes: SecretBytes) throws {
        let contents = try ForeignReader().read(bytes)
        guard contents.keys.isEmpty else { throw IssuanceError.requestWithKey }
        var requests: [CertificateSigningRequest] = []
        for item in contents.requests where !requests.contains(where: { $0.der == item.value.der })
        {
            requests.append(item.value)
        }
        guard let request = requests.first else {
            throw IssuanceError.noRequest(contents.description)
        }
        guard requests.count == 1 else { throw IssuanceError.severalRequests(requests.count) }
        guard request.verifySignature() else { throw IssuanceError.requestUnsigned }
        self.request = request
        var warnings = contents.warnings.map { ImportWarning($0) }
        if let source = WellKnownKeys.source(of: request.publicKey) {
            warnings.append(
                ImportWarning(
                    "its private key is public: anybody finds it in \(source)",
                    hint: "have the provider make a CSR with a new key"))
        }
        self.warnings = warnings
    }

    /// Refuses a key that Apple's portal does not take for this kind.
    func checkKey(for kind: CredentialKind) throws(IssuanceError) {
        let algorithm = request.publicKey.algorithm
        guard algorithm == KeyAlgorithm(kind.requiredKey) else {
            throw .requestWrongKey(algorithm.description, kind: kind)
        }
    }
}
