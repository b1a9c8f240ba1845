import Database
import Files
import Ledger
package import Merchants
package import PKI
import Registry
package import Secrets
import Vault

/// What a change of trust has come to.
package struct TrustChange: Sendable {
    /// In the order in which they were offered, roots first.
    package let certificates: [Certificate]
    /// The fingerprints of those that were not trusted before.
    package let added: Set<String>
    /// Credentials with a certificate whose issuer is proven now.
    package let verified: [CredentialIdentifier]
    /// Credentials with a certificate that the authority it names has not issued.
    package let forged: [CredentialIdentifier]
}

extension OpenHome {
    /// Takes Apple's roots and their intermediates into realm `apple`, all or none, and says of each
    /// certificate there whether its issuer is proven now.
    ///
    /// - Throws: ``TrustError`` for one that is neither a pinned root nor verifies to one,
    ///   ``IssuanceError/anchorMissing(_:)``, ``VaultError/rotationUnderWay``, ``FileError``,
    ///   ``DatabaseError``.
    package func admit(_ offered: [Certificate]) async throws -> TrustChange {
        let known = try await presentTrust(of: .apple)
        let admission = try AppleAdmission(offered, beside: known)
        // Nobody may take a file that is on its way for one that was left unfinished.
        let lock = try await layout.takeKeysLock(.shared)
        defer { withExtendedLifetime(lock) {} }
        try keep(admission.certificates, of: .apple)
        let trust = RealmTrust(
            known.roots + known.intermediates + admission.certificates, of: .apple)
        let judged = try await judge(.apple, by: trust)
        return try await database.write { transaction in
            var added: [Certificate] = []
            for certificate in admission.certificates
            where try RealmRoots.add(certificate, of: .apple, in: transaction) {
                added.append(certificate)
            }
            if !added.isEmpty {
                try Ledger.append(
                    entry(
                        .trustAdded, RealmName.apple.text,
                        [
                            "certificates": added.map(\.sha256).joined(separator: " "),
                            "names": added.map(TrustError.name).joined(separator: " "),
                        ]), in: transaction)
            }
            let verdicts = try record(judged, .apple, by: trust, in: transaction)
            return TrustChange(
                certificates: admission.certificates, added: Set(added.map(\.sha256)),
                verified: verdicts.verified, forged: verdicts.forged)
        }
    }

    /// A realm's trust, but for files that are missing: they may be what is being mended.
    func presentTrust(of realm: RealmName) async throws -> RealmTrust {
        let records = try await database.read { try RealmRoots.list(of: realm, in: $0) }
        return RealmTrust(try records.compactMap { try anchor($0) }, of: realm)
    }

    /// Makes the files of trusted certificates durable, before the records that name them.
    func keep(_ certificates: [Certificate], of realm: RealmName) throws {
        guard !certificates.isEmpty else { return }
        try Folder.makeAll(["anchors", realm.text], below: layout.path)
        for certificate in certificates {
            try DurableFile.write(
                Array(certificate.pem.utf8), to: layout.anchor(realm, certificate.sha256),
                replacing: true)
        }
    }
}

extension Certificate {
    /// All certificates in a file of any form, for trust.
    ///
    /// - Throws: ``PKIError``, ``TrustError/noCertificate(_:)``.
    package static func authorities(in file: SecretBytes) throws -> [Certificate] {
        let contents = ForeignReader().survey(file)
        for problem in contents.problems {
            if case .passwordNeeded = problem.error { throw TrustError.encrypted }
            throw problem.error
        }
        guard !contents.certificates.isEmpty else {
            throw TrustError.noCertificate(contents.description)
        }
        return contents.certificates.map(\.value)
    }
}

extension RealmRoots {
    /// Records a certificate for a realm; whether it is new.
    static func add(
        _ certificate: Certificate, of realm: RealmName, in transaction: borrowing Transaction
    ) throws -> Bool {
        try add(
            RealmRoot(
                realm: realm, fingerprint: certificate.sha256,
                subject: certificate.subject.rfc4514), in: transaction)
    }
}
