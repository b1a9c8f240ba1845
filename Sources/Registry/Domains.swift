package import Clocks
package import Database
package import Merchants

/// What Apple has said of a domain of a merchant, by the rehearsals that used it.
package struct DomainStanding: Sendable, Hashable {
    package let domain: DomainName
    package let addedAt: Timestamp
    /// When Apple last gave a session for it; nil: never, as far as we have tried.
    package let provenAt: Timestamp?
    /// When Apple last refused it, if that was after ``provenAt``.
    package let refusedAt: Timestamp?
    /// What the refusal was, in a sentence.
    package let refusal: String?

    /// When it was last tried, whatever came of it.
    package var triedAt: Timestamp? { refusedAt ?? provenAt }
}

/// The domains that each merchant has registered at Apple, as far as we were told.
///
/// One domain may belong to several merchants.
package enum Domains {
    /// Records a domain of a merchant in service.
    ///
    /// - Throws: ``RegistryError/merchantUnknown(_:)``, ``RegistryError/merchantRetired(_:)``,
    ///   ``RegistryError/domainExists(_:of:)``, `DatabaseError`.
    package static func add(
        _ domain: DomainName, to merchant: MerchantIdentifier, at time: Timestamp,
        in transaction: borrowing Transaction
    ) throws {
        _ = try MerchantRecords.findInService(merchant, in: transaction)
        let added = try transaction.execute(
            """
            INSERT INTO domains (merchant, domain, added_at) VALUES (?, ?, ?)
            ON CONFLICT (merchant, domain) DO NOTHING
            """,
            [.text(merchant.text), .text(domain.text), Value(time)])
        guard added == 1 else { throw RegistryError.domainExists(domain, of: merchant) }
    }

    /// Forgets a domain of a merchant, retired or not.
    ///
    /// - Throws: ``RegistryError/merchantUnknown(_:)``,
    ///   ``RegistryError/domainNotRegistered(_:of:)``, `DatabaseError`.
    package static func remove(
        _ domain: DomainName, from merchant: MerchantIdentifier,
        in transaction: borrowing Transaction
    ) throws {
        try requireMerchant(merchant, in: transaction)
        let removed = try transaction.execute(
            "DELETE FROM domains WHERE merchant = ? AND domain = ?",
            [.text(merchant.text), .text(domain.text)])
        guard removed == 1 else {
            throw RegistryError.domainNotRegistered(domain, of: merchant)
        }
    }

    /// The domains of a merchant, by name.
    ///
    /// - Throws: ``RegistryError/merchantUnknown(_:)``, `DatabaseError`.
    package static func list(
        of merchant: MerchantIdentifier, in transaction: borrowing Transaction
    ) throws -> [DomainName] {
        try requireMerchant(merchant, in: transaction)
        return try transaction.rows(
            of: "SELECT domain FROM domains WHERE merchant = ? ORDER BY domain",
            [.text(merchant.text)]
        ) { try $0.domain("domain") }
    }

    /// Whether `domain` is one of the merchant's.
    ///
    /// - Throws: `DatabaseError`.
    package static func contains(
        _ domain: DomainName, of merchant: MerchantIdentifier,
        in transaction: borrowing Transaction
    ) throws -> Bool {
        try transaction.hasRow(
            of: "SELECT 1 FROM domains WHERE merchant = ? AND domain = ?",
            [.text(merchant.text), .text(domain.text)])
    }

    /// The merchants in service that have registered `domain`, by identifier.
    ///
    /// - Throws: `DatabaseError`.
    package static func merchants(
        registering domain: DomainName, in transaction: borrowing Transaction
    ) throws -> [MerchantIdentifier] {
        try transaction.rows(
            of: """
                SELECT id FROM domains JOIN merchants ON id = merchant
                WHERE domain = ? AND retired_at IS NULL ORDER BY id
                """, [.text(domain.text)]
        ) { try $0.merchant("id") }
    }

    // MARK: - What Apple says of them

    /// What is known of each of the merchant's domains, by name.
    ///
    /// - Throws: `DatabaseError`.
    package static func standings(
        of merchant: MerchantIdentifier, in transaction: borrowing Transaction
    ) throws -> [DomainStanding] {
        try transaction.rows(
            of: """
                SELECT domain, added_at, proven_at, refused_at, refusal FROM domains
                WHERE merchant = ? ORDER BY domain
                """, [.text(merchant.text)]
        ) { row in
            DomainStanding(
                domain: try row.domain("domain"), addedAt: try row.time("added_at"),
                provenAt: try row.optionalTime("proven_at"),
                refusedAt: try row.optionalTime("refused_at"),
                refusal: try row.optionalText("refusal"))
        }
    }

    /// Records that Apple gave a session for the domain; a refusal before is forgotten.
    ///
    /// A domain that is not registered any more changes nothing.
    ///
    /// - Throws: `DatabaseError`.
    package static func setProven(
        _ domain: DomainName, of merchant: MerchantIdentifier, at time: Timestamp,
        in transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            UPDATE domains SET proven_at = ?, refused_at = NULL, refusal = NULL
            WHERE merchant = ? AND domain = ?
            """, [Value(time), .text(merchant.text), .text(domain.text)])
    }

    /// Records that Apple refused the domain, with the sentence to show; when it was proven last
    /// stays.
    ///
    /// A domain that is not registered any more changes nothing.
    ///
    /// - Throws: `DatabaseError`.
    package static func setRefused(
        _ domain: DomainName, of merchant: MerchantIdentifier, because why: String,
        at time: Timestamp, in transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            UPDATE domains SET refused_at = ?, refusal = ? WHERE merchant = ? AND domain = ?
            """, [Value(time), .text(why), .text(merchant.text), .text(domain.text)])
    }

    private static func requireMerchant(
        _ merchant: MerchantIdentifier, in transaction: borrowing Transaction
    ) throws {
        guard try MerchantRecords.exists(merchant, in: transaction) else {
            throw RegistryError.merchantUnknown(merchant)
        }
    }
}
