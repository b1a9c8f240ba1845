package import Clocks
package import Database
package import Merchants

/// The merchants of a home.
package enum MerchantRecords {
    /// Records a new merchant.
    ///
    /// - Throws: ``RegistryError/merchantExists(_:)``, ``RegistryError/withoutEnvironment(_:)``,
    ///   ``RegistryError/environmentUnknown(_:)``, ``RegistryError/realmMixed(_:)`` when its
    ///   environments are not all of its realm, `DatabaseError`.
    package static func add(
        _ merchant: Merchant, in transaction: borrowing Transaction
    ) throws {
        let id = merchant.identifier
        guard try !exists(id, in: transaction) else { throw RegistryError.merchantExists(id) }
        try check(merchant, in: transaction)
        try insert(merchant, in: transaction)
        try addEnvironments(of: merchant, in: transaction)
    }

    /// Records a merchant of which only keys are left, without environments: it can use none until
    /// it is given some.
    ///
    /// - Throws: ``RegistryError/merchantExists(_:)``, `DatabaseError`.
    package static func addRebuilt(
        _ merchant: Merchant, in transaction: borrowing Transaction
    ) throws {
        let id = merchant.identifier
        guard try !exists(id, in: transaction) else { throw RegistryError.merchantExists(id) }
        try insert(merchant, in: transaction)
        try addEnvironments(of: merchant, in: transaction)
    }

    private static func insert(
        _ merchant: Merchant, in transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO merchants
                (id, realm, name, display_name, team, owners, created_at, retired_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .text(merchant.identifier.text), .text(merchant.realm.text), Value(merchant.name),
                Value(merchant.displayName?.text), Value(merchant.team),
                try Value(list: merchant.owners), Value(merchant.createdAt),
                Value(merchant.retiredAt),
            ])
    }

    /// Whether there is a merchant of this identifier, retired or not.
    ///
    /// - Throws: `DatabaseError`.
    package static func exists(
        _ id: MerchantIdentifier, in transaction: borrowing Transaction
    ) throws -> Bool {
        try transaction.hasRow(of: "SELECT 1 FROM merchants WHERE id = ?", [.text(id.text)])
    }

    /// The merchant of this identifier, retired or not.
    ///
    /// - Throws: ``RegistryError/merchantUnknown(_:)``, `DatabaseError`.
    package static func find(
        _ id: MerchantIdentifier, in transaction: borrowing Transaction
    ) throws -> Merchant {
        let environments = try transaction.rows(
            of: """
                SELECT environment FROM merchant_environments WHERE merchant = ?
                ORDER BY position
                """, [.text(id.text)]
        ) { try $0.environment("environment") }
        let found = try transaction.firstRow(
            of: "SELECT * FROM merchants WHERE id = ?", [.text(id.text)]
        ) { try read($0, environments: environments) }
        guard let found else { throw RegistryError.merchantUnknown(id) }
        return found
    }

    /// The merchant of this identifier, which must be in service.
    ///
    /// - Throws: ``RegistryError/merchantUnknown(_:)``, ``RegistryError/merchantRetired(_:)``,
    ///   `DatabaseError`.
    package static func findInService(
        _ id: MerchantIdentifier, in transaction: borrowing Transaction
    ) throws -> Merchant {
        let found = try find(id, in: transaction)
        guard found.retiredAt == nil else { throw RegistryError.merchantRetired(id) }
        return found
    }

    /// The identifiers of all merchants, in order, also of those whose records cannot be read.
    ///
    /// - Throws: `DatabaseError`, ``RegistryError/damaged(column:why:)`` for what is none.
    package static func identifiers(
        in transaction: borrowing Transaction
    ) throws -> [MerchantIdentifier] {
        try transaction.rows(of: "SELECT id FROM merchants ORDER BY id") { try $0.merchant("id") }
    }

    /// At most `limit` identifiers, in order, of those behind `after` and, where `only` is not empty,
    /// of those in it: one page of a list.
    ///
    /// - Throws: `DatabaseError`, ``RegistryError/damaged(column:why:)`` for what is none.
    package static func page(
        after: String, limit: Int, only: Set<MerchantIdentifier> = [],
        in transaction: borrowing Transaction
    ) throws -> [MerchantIdentifier] {
        let among = try Value(list: only.sorted().map(\.text))
        return try transaction.rows(
            of: """
                SELECT id FROM merchants WHERE id > ?1
                    AND (?2 = '[]' OR id IN (SELECT value FROM json_each(?2)))
                ORDER BY id LIMIT ?3
                """, [.text(after), among, .integer(Int64(limit))]
        ) { try $0.merchant("id") }
    }

    /// All merchants by identifier.
    ///
    /// `damaged` is told of each one whose record cannot be read, by the name it has there; the
    /// list then goes on without it. Unless it is given, the first such record is the error.
    ///
    /// - Throws: `DatabaseError`, ``RegistryError/damaged(column:why:)``, what `damaged` throws.
    package static func list(
        includingRetired: Bool = true, in transaction: borrowing Transaction,
        damaged: (_ merchant: String, _ why: any Error) throws -> Void = { throw $1 }
    ) throws -> [Merchant] {
        var environments: [String: [EnvironmentName]] = [:]
        var withoutEnvironments: [String: any Error] = [:]
        try transaction.forEachRow(
            of:
                "SELECT merchant, environment FROM merchant_environments ORDER BY merchant, position"
        ) {
            let id = try $0.text("merchant")
            do {
                environments[id, default: []].append(try $0.environment("environment"))
            } catch {
                withoutEnvironments[id] = error
            }
            return true
        }
        var merchants: [Merchant] = []
        try transaction.forEachRow(
            of: "SELECT * FROM merchants WHERE ?1 OR retired_at IS NULL ORDER BY id",
            [Value(includingRetired)]
        ) { row in
            let id = try row.text("id")
            do {
                if let error = withoutEnvironments[id] { throw error }
                merchants.append(try read(row, environments: environments[id] ?? []))
            } catch {
                try damaged(id, error)
            }
            return true
        }
        return merchants
    }

    /// Replaces the name, display name, team, owners and environments of a merchant in service.
    ///
    /// Identifier and realm say which merchant it is and stay.
    ///
    /// - Throws: ``RegistryError/merchantUnknown(_:)``, ``RegistryError/merchantRetired(_:)``, and
    ///   what ``add(_:in:)`` throws about environments.
    package static func update(
        _ merchant: Merchant, in transaction: borrowing Transaction
    ) throws {
        let recorded = try findInService(merchant.identifier, in: transaction)
        guard recorded.realm == merchant.realm else {
            throw RegistryError.realmMixed(recorded.environments + merchant.environments)
        }
        if !merchant.environments.isEmpty {
            let realm = try Environments.realm(of: merchant.environments, in: transaction)
            guard realm == recorded.realm else {
                throw RegistryError.realmFixed(
                    merchant.identifier, recorded.realm, merchant.environments, of: realm)
            }
        }
        try check(merchant, in: transaction)
        let id = Value.text(merchant.identifier.text)
        try transaction.execute(
            "UPDATE merchants SET name = ?, display_name = ?, team = ?, owners = ? WHERE id = ?",
            [
                Value(merchant.name), Value(merchant.displayName?.text), Value(merchant.team),
                try Value(list: merchant.owners), id,
            ])
        try transaction.execute("DELETE FROM merchant_environments WHERE merchant = ?", [id])
        try addEnvironments(of: merchant, in: transaction)
    }

    /// Takes a merchant out of service; its credentials are the caller's to retire.
    ///
    /// - Throws: ``RegistryError/merchantUnknown(_:)``, ``RegistryError/merchantRetired(_:)`` when
    ///   it is already, `DatabaseError`.
    package static func retire(
        _ id: MerchantIdentifier, at time: Timestamp, in transaction: borrowing Transaction
    ) throws {
        _ = try findInService(id, in: transaction)
        try transaction.execute(
            "UPDATE merchants SET retired_at = ? WHERE id = ?", [Value(time), .text(id.text)])
    }

    private static func check(
        _ merchant: Merchant, in transaction: borrowing Transaction
    ) throws {
        guard !merchant.environments.isEmpty else {
            throw RegistryError.withoutEnvironment(merchant.identifier)
        }
        guard try Environments.realm(of: merchant.environments, in: transaction) == merchant.realm
        else {
            throw RegistryError.realmMixed(merchant.environments)
        }
    }

    private static func addEnvironments(
        of merchant: Merchant, in transaction: borrowing Transaction
    ) throws {
        for (position, environment) in merchant.environments.enumerated() {
            // The same name twice says no more than once.
            try transaction.execute(
                """
                INSERT INTO merchant_environments (merchant, position, environment)
                VALUES (?, ?, ?) ON CONFLICT (merchant, environment) DO NOTHING
                """,
                [
                    .text(merchant.identifier.text), .integer(Int64(position)),
                    .text(environment.text),
                ])
        }
    }

    private static func read(
        _ row: borrowing Row, environments: [EnvironmentName]
    ) throws -> Merchant {
        Merchant(
            identifier: try row.merchant("id"), realm: try row.realm("realm"),
            environments: environments, name: try row.optionalText("name"),
            displayName: try row.displayName("display_name"),
            team: try row.optionalText("team"), owners: try row.texts("owners"),
            createdAt: try row.time("created_at"), retiredAt: try row.optionalTime("retired_at"))
    }
}
