import Clocks
import Database
import Ledger
package import Merchants
import Registry

/// What came of adding a domain.
package struct AddedDomain: Sendable {
    /// Whether the domain was not registered before.
    package let isNew: Bool
    /// Nil where no file was given.
    package let file: FileOutcome?
    package let warnings: [AssociationWarning]

    /// What came of an association file.
    package enum FileOutcome: Sendable, Hashable {
        case kept, replaced
        /// The same bytes were there.
        case present
    }

    /// Whether anything is different now.
    package var isChange: Bool { isNew || (file != nil && file != .present) }
}

extension OpenHome {
    /// Registers a domain of a merchant, with its association file where one is given; a file takes
    /// the place of one before, and adding anything twice is the same as once.
    ///
    /// Of several merchants' files for one domain the one that was added last is served: Apple looks
    /// at a site when a merchant's domain is verified, and the site has one file at a time.
    ///
    /// - Throws: ``AssociationFault``, ``RegistryError``, ``IssuanceError/anchorMissing(_:)``,
    ///   ``DatabaseError``.
    @discardableResult
    package func addDomain(
        _ domain: DomainName, of merchant: MerchantIdentifier, file: AssociationFile? = nil
    ) async throws -> AddedDomain {
        let now = clock.now
        let realm = try await database.read {
            try MerchantRecords.findInService(merchant, in: $0).realm
        }
        var isVerified: Bool?
        if let file { isVerified = try file.verify(with: try await trust(of: realm), realm: realm) }
        let verified = isVerified
        let added = entry(.domainAdded, merchant.text, ["domain": domain.text])
        return try await database.write { transaction in
            _ = try MerchantRecords.findInService(merchant, in: transaction)
            let isNew = try !Domains.contains(domain, of: merchant, in: transaction)
            if isNew {
                try Domains.add(domain, to: merchant, at: now, in: transaction)
                try Ledger.append(added, in: transaction)
            }
            guard let file, let verified else {
                return AddedDomain(isNew: isNew, file: nil, warnings: [])
            }
            let kept = KeptAssociationFile(
                merchant: merchant, domain: domain, bytes: file.bytes, facts: file.facts,
                isVerified: verified, addedAt: now)
            return try keep(kept, file.fingerprint, isNew: isNew, in: transaction)
        }
    }

    private func keep(
        _ file: KeptAssociationFile, _ fingerprint: String, isNew: Bool,
        in transaction: borrowing Transaction
    ) throws -> AddedDomain {
        let (merchant, domain) = (file.merchant, file.domain)
        let teams = try AssociationFiles.teams(of: merchant, in: transaction)
        try file.facts.check(for: domain, teams: teams)
        let standing = try Domains.standings(of: merchant, in: transaction)
            .first { $0.domain == domain }
        var warnings = file.facts.warnings(
            teams: teams, isProven: standing?.provenAt != nil, at: file.addedAt)
        if !file.isVerified { warnings.append(.unverified) }
        let known = try AssociationFiles.find(domain, of: merchant, in: transaction)
        let rivals = try AssociationFiles.all(for: domain, in: transaction)
        let served = rivals.first
        if let known, known.bytes == file.bytes, known.isVerified == file.isVerified,
            served?.merchant == merchant
        {
            return AddedDomain(isNew: isNew, file: .present, warnings: warnings)
        }
        let displaced = rivals.first { $0.merchant != merchant && $0.bytes == served?.bytes }
        if let displaced, displaced.bytes != file.bytes {
            warnings.append(.replacesServed(displaced.merchant))
        }
        try AssociationFiles.keep(file, in: transaction)
        try Ledger.append(
            entry(
                .associationFileKept, merchant.text,
                [
                    "domain": domain.text, "form": file.facts.form.rawValue, "sha256": fingerprint,
                    "verified": file.isVerified ? "yes" : "no",
                ]), in: transaction)
        return AddedDomain(
            isNew: isNew, file: known == nil ? .kept : .replaced, warnings: warnings)
    }

    /// Removes a domain of a merchant, and its association file: no session is asked for it any more.
    ///
    /// - Throws: ``RegistryError``, ``DatabaseError``.
    package func removeDomain(_ domain: DomainName, of merchant: MerchantIdentifier) async throws {
        let entry = entry(.domainRemoved, merchant.text, ["domain": domain.text])
        try await database.write { transaction in
            try Domains.remove(domain, from: merchant, in: transaction)
            try Ledger.append(entry, in: transaction)
        }
    }
}
