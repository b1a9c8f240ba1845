import Clocks
import Database
import Ledger
package import Merchants
import PKI
import Registry

/// A CSR of a provider's, as it is recorded.
package struct RecordedRequest: Sendable {
    package let credential: Credential
    /// False when it was recorded before: nothing was changed.
    package let isNew: Bool
    /// Things a person should know.
    package let warnings: [ImportWarning]
}

extension OpenHome {
    /// Records a CSR whose key a payment provider holds, so that its certificate is recognised.
    ///
    /// No key is here and none is needed. Recording it twice is the same as once.
    ///
    /// - Throws: ``IssuanceError/requestWrongKey(_:kind:)``,
    ///   ``IssuanceError/heldElsewhere(_:holder:)`` for a key that is here, or another provider's,
    ///   ``IssuanceError/finished(_:_:)``, ``RegistryError``, ``DatabaseError``.
    package func recordRequest(
        _ file: RequestFile, _ kind: CredentialKind, for identifier: MerchantIdentifier,
        provider: ProviderName
    ) async throws -> RecordedRequest {
        try file.checkKey(for: kind)
        let key = file.request.publicKey
        let csr = file.request.der
        let now = clock.now
        let outcome = try await database.write { transaction -> (Credential, Bool, [Credential]) in
            let merchant = try MerchantRecords.findInService(identifier, in: transaction)
            let all = try Credentials.find(publicKeyHash: key.sha256, in: transaction)
            // A key that is here is in no provider's hands alone, whoever's it is here.
            if let held = all.first(where: { $0.custody == .local }) {
                throw IssuanceError.heldElsewhere(held.id, holder: "this home")
            }
            let known = all.first { $0.merchant == identifier && $0.kind == kind }
            if let known {
                guard known.provider == provider.text else {
                    throw IssuanceError.heldElsewhere(
                        known.id, holder: known.provider ?? "a provider")
                }
                if known.state == .revoked || known.state == .destroyed {
                    throw IssuanceError.finished(known.id, known.state)
                }
                return (known, false, all.filter { $0.id != known.id })
            }
            let credential = Credential(
                id: .random(), merchant: identifier, realm: merchant.realm, kind: kind,
                state: .requested, custody: .provider, provider: provider.text,
                publicKeyHash: key.sha256, keyAlgorithm: key.algorithm.description, csr: csr,
                certificate: nil, createdAt: now, activatedAt: nil)
            try Credentials.insert(credential, in: transaction)
            try Ledger.append(
                entry(
                    .certificateRequested, identifier.text,
                    [
                        "credential": credential.id.text, "kind": kind.rawValue,
                        "key": Hexadecimal.lowercase(key.sha256), "provider": provider.text,
                    ]), in: transaction)
            return (credential, true, all)
        }
        let merchant = try await database.read { try MerchantRecords.find(identifier, in: $0) }
        return RecordedRequest(
            credential: outcome.0, isNew: outcome.1,
            warnings: file.warnings + warnings(about: outcome.2, merchant))
    }
}
