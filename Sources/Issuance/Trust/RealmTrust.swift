import Database
import Files
package import Merchants
package import PKI
package import Registry
import Vault

/// What the certificates of a realm are verified with.
package struct RealmTrust: Sendable {
    /// Each is trusted as it stands.
    package let roots: [Certificate]
    /// Trusted only as they verify to one of the roots.
    package let intermediates: [Certificate]

    package init(roots: [Certificate], intermediates: [Certificate]) {
        (self.roots, self.intermediates) = (roots, intermediates)
    }

    /// Sorts what a realm has on record: in realm `apple` nothing is a root that is not pinned,
    /// whatever was written into the database.
    init(_ certificates: [Certificate], of realm: RealmName) {
        let isRoot = { (certificate: Certificate) in
            realm != .apple || AppleRoot(fingerprint: certificate.sha256) != nil
        }
        roots = certificates.filter(isRoot)
        intermediates = certificates.filter { !isRoot($0) }
    }

    /// How `certificate` stands to the roots; its validity in time is left out.
    func verdict(on certificate: Certificate, others: [Certificate] = []) -> ChainVerdict {
        TrustStore(roots: roots).verify(
            certificate, intermediates: others + intermediates, at: nil)
    }
}

extension OpenHome {
    /// The trust of a realm, from the files that its records name.
    ///
    /// - Throws: ``IssuanceError/anchorMissing(_:)`` where a file is gone or is another
    ///   certificate, ``DatabaseError``.
    package func trust(of realm: RealmName) async throws -> RealmTrust {
        let records = try await database.read { try RealmRoots.list(of: realm, in: $0) }
        return RealmTrust(
            try records.map { record in
                guard let certificate = try anchor(record) else {
                    throw IssuanceError.anchorMissing("\(realm)/\(record.fingerprint)")
                }
                return certificate
            }, of: realm)
    }

    /// The certificate of a record; nil where its file is gone or holds another.
    ///
    /// - Throws: ``FileError`` for a file that cannot be read.
    package func anchor(_ record: RealmRoot) throws -> Certificate? {
        let path = layout.anchor(record.realm, record.fingerprint)
        guard let bytes = try InputFile.readIfPresent(path, limit: 1 << 16),
            let certificate = try? Certificate(pem: bytes),
            certificate.sha256 == record.fingerprint
        else { return nil }
        return certificate
    }

    /// Every certificate that is trusted, or helps to verify, with its file's contents.
    ///
    /// - Throws: ``FileError``, ``DatabaseError``.
    package func trusted() async throws -> [TrustedCertificate] {
        let records = try await database.read { try RealmRoots.list(in: $0) }
        return try records.map { TrustedCertificate(record: $0, certificate: try anchor($0)) }
    }
}

/// A certificate on record for a realm.
package struct TrustedCertificate: Sendable {
    /// Why it is believed.
    package enum Standing: String, Sendable {
        /// One of Apple's roots, by its fingerprint.
        case pinned
        /// An intermediate that verified to one of them.
        case verified
        /// The operator gave it for a realm of their own.
        case `operator`
    }

    package let record: RealmRoot
    /// Nil where its file is gone or holds another certificate.
    package let certificate: Certificate?

    package var standing: Standing {
        if record.realm != .apple { return .operator }
        return AppleRoot(fingerprint: record.fingerprint) == nil ? .verified : .pinned
    }
}
