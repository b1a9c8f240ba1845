import Issuance
import Locks
import Merchants
import PKI
import Vault

/// Finds the certificate of who issued a credential's certificate.
///
/// What a realm trusts comes first, and then the chain beside the key. In Apple's realm the issuer
/// must verify to Apple's roots: only then is the OCSP address Apple's too, and not one to which
/// somebody wants this machine to send requests.
final class IssuerSearch: Sendable {
    private let home: OpenHome
    private let vault: Vault
    private let known = Locked<[RealmName: RealmTrust]>([:])

    init(home: OpenHome, vault: Vault) {
        self.home = home
        self.vault = vault
    }

    /// The issuer's certificate; nil where it is not known here.
    ///
    /// - Throws: as `OpenHome.trust(of:)`; `VaultError`.
    func issuer(of certificate: Certificate, _ credential: Credential) async throws -> Certificate?
    {
        let trust = try await trust(of: credential.realm)
        if let found = Self.parent(of: certificate, trust, []) { return found }
        guard credential.custody == .local else { return nil }
        let chain = try vault.key(in: KeySlot(credential)).chain
        if let found = Self.parent(of: certificate, trust, chain) { return found }
        guard credential.realm != .apple else { return nil }
        return chain.first { certificate.isSigned(by: $0) }
    }

    /// What comes after the certificate on its way to a root; validity in time is left out.
    private static func parent(
        of certificate: Certificate, _ trust: RealmTrust, _ chain: [Certificate]
    ) -> Certificate? {
        let store = TrustStore(roots: trust.roots)
        guard
            case .verified(let way) = store.verify(
                certificate, intermediates: chain + trust.intermediates, at: nil), way.count > 1
        else { return nil }
        return way[1]
    }

    private func trust(of realm: RealmName) async throws -> RealmTrust {
        if let trust = known.withLock({ $0[realm] }) { return trust }
        let trust = try await home.trust(of: realm)
        known.withLock { $0[realm] = trust }
        return trust
    }
}
