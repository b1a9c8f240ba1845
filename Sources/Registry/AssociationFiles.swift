package import Clocks
package import Database
package import Merchants

/// An association file of a merchant's domain, as it is kept.
package struct KeptAssociationFile: Sendable, Hashable {
    package let merchant: MerchantIdentifier
    package let domain: DomainName
    /// Exactly as they came from Apple: they are what is served.
    package let bytes: [UInt8]
    package let facts: AssociationFacts
    /// Whether its signature was verified to a root of the merchant's realm.
    package let isVerified: Bool
    package let addedAt: Timestamp

    package init(
        merchant: MerchantIdentifier, domain: DomainName, bytes: [UInt8], facts: AssociationFacts,
        isVerified: Bool, addedAt: Timestamp
    ) {
        self.merchant = merchant
        self.domain = domain
        self.bytes = bytes
        self.facts = facts
        self.isVerified = isVerified
        self.addedAt = addedAt
    }
}

/// The association files of merchants' domains; a domain that goes takes its file along.
package enum AssociationFiles {
    /// Keeps a file for a registered domain, in place of one before.
    ///
    /// - Throws: ``RegistryError/domainNotRegistered(_:of:)``, `DatabaseError`.
    package static func keep(
        _ file: KeptAssociationFile, in transaction: borrowing Transaction
    ) throws {
        guard try Domains.contains(file.domain, of: file.merchant, in: transaction) else {
            throw RegistryError.domainNotRegistered(file.domain, of: file.merchant)
        }
        try transaction.execute(
            """
            INSERT OR REPLACE INTO association_files (merchant, domain, bytes, form, team, provider,
                version, created_at, verified, added_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .text(file.merchant.text), .text(file.domain.text), .blob(file.bytes),
                .text(file.facts.form.rawValue), Value(file.facts.team),
                Value(file.facts.provider), .integer(Int64(file.facts.version)),
                Value(file.facts.createdAt), Value(file.isVerified), Value(file.addedAt),
            ])
    }

    /// The file kept for a domain of a merchant; nil where there is none.
    ///
    /// - Throws: `DatabaseError`, ``RegistryError/damaged(column:why:)``.
    package static func find(
        _ domain: DomainName, of merchant: MerchantIdentifier, in transaction: borrowing Transaction
    ) throws -> KeptAssociationFile? {
        try transaction.firstRow(
            of: "SELECT * FROM association_files WHERE merchant = ? AND domain = ?",
            [.text(merchant.text), .text(domain.text)], read)
    }

    /// The files kept for a merchant's domains.
    ///
    /// - Throws: `DatabaseError`, ``RegistryError/damaged(column:why:)``.
    package static func list(
        of merchant: MerchantIdentifier, in transaction: borrowing Transaction
    ) throws -> [DomainName: KeptAssociationFile] {
        let files = try transaction.rows(
            of: "SELECT * FROM association_files WHERE merchant = ?", [.text(merchant.text)], read)
        return Dictionary(files.map { ($0.domain, $0) }, uniquingKeysWith: { $1 })
    }

    /// The merchants in service whose files for `domain` differ, the one that was added last first:
    /// its is what a site serves, for a site has one.
    ///
    /// - Throws: `DatabaseError`, ``RegistryError/damaged(column:why:)``.
    package static func all(
        for domain: DomainName, in transaction: borrowing Transaction
    ) throws -> [KeptAssociationFile] {
        try transaction.rows(
            of: """
                SELECT f.* FROM association_files AS f JOIN merchants AS m ON m.id = f.merchant
                WHERE f.domain = ? AND m.retired_at IS NULL
                ORDER BY f.rowid DESC
                """, [.text(domain.text)], read)
    }

    /// The bytes to serve for each domain of a merchant in service: of several merchants' files, those
    /// that were added last.
    ///
    /// Rows are numbered as they come, whatever the clock says.
    ///
    /// Damage in one row takes nothing else along: that file is not served.
    ///
    /// - Throws: `DatabaseError`.
    package static func served(
        in transaction: borrowing Transaction
    ) throws -> [DomainName: [UInt8]] {
        var served: [DomainName: [UInt8]] = [:]
        try transaction.forEachRow(
            of: """
                SELECT f.domain, f.bytes FROM association_files AS f
                JOIN merchants AS m ON m.id = f.merchant WHERE m.retired_at IS NULL
                ORDER BY f.rowid DESC
                """
        ) { row in
            if let domain = try? row.domain("domain"), served[domain] == nil {
                served[domain] = try row.blob("bytes")
            }
            return true
        }
        return served
    }

    /// The teams that a merchant is known to be of: the one that was named, else those in its
    /// certificates.
    ///
    /// - Throws: ``RegistryError/merchantUnknown(_:)``, `DatabaseError`.
    package static func teams(
        of merchant: MerchantIdentifier, in transaction: borrowing Transaction
    ) throws -> Set<String> {
        if let team = try MerchantRecords.find(merchant, in: transaction).team { return [team] }
        return Set(
            try transaction.rows(
                of: """
                    SELECT DISTINCT x.team FROM credentials AS c
                    JOIN certificates AS x ON x.credential = c.id
                    WHERE c.merchant = ? AND x.team IS NOT NULL
                        AND c.state NOT IN ('abandoned', 'destroyed')
                    """, [.text(merchant.text)]
            ) { try $0.text("team") })
    }

    private static func read(_ row: borrowing Row) throws -> KeptAssociationFile {
        KeptAssociationFile(
            merchant: try row.merchant("merchant"), domain: try row.domain("domain"),
            bytes: try row.blob("bytes"),
            facts: AssociationFacts(
                form: try row.oneOf("form"), team: try row.optionalText("team"),
                domain: try row.text("domain"), provider: try row.optionalText("provider"),
                version: Int(clamping: try row.integer("version")),
                createdAt: try row.optionalTime("created_at")),
            isVerified: try row.integer("verified") != 0, addedAt: try row.time("added_at"))
    }
}
