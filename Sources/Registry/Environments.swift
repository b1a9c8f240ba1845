package import Database
package import Merchants

/// The gateways that merchants may use: Apple's four, and those that an operator has defined.
///
/// Apple's four are code (`GatewayEnvironment.builtIn`) and cannot be removed; of them the proxy alone
/// can be set.
package enum Environments {
    /// Records an operator's environment.
    ///
    /// - Throws: ``RegistryError/environmentExists(_:)``, also for the name of one of Apple's;
    ///   ``RegistryError/realmReserved(_:)`` for one in Apple's realm; `DatabaseError`.
    package static func add(
        _ environment: GatewayEnvironment, in transaction: borrowing Transaction
    ) throws {
        let name = environment.name
        let isTaken = try transaction.hasRow(
            of: "SELECT 1 FROM environments WHERE name = ?", [.text(name.text)])
        guard builtIn(name) == nil, !isTaken else { throw RegistryError.environmentExists(name) }
        guard environment.realm != .apple else { throw RegistryError.realmReserved(name) }
        try transaction.execute(
            """
            INSERT INTO environments (name, realm, gateway, gateway_ca, proxy)
            VALUES (?, ?, ?, ?, ?)
            """,
            [
                .text(name.text), .text(environment.realm.text),
                .text(environment.gateway.description), Value(environment.gatewayCA),
                Value(environment.proxy),
            ])
    }

    /// Apple's four, then the operator's by name.
    ///
    /// - Throws: `DatabaseError`, ``RegistryError/damaged(column:why:)``.
    package static func list(
        in transaction: borrowing Transaction
    ) throws -> [GatewayEnvironment] {
        try GatewayEnvironment.builtIn.map { try set($0, in: transaction) }
            + (try transaction.rows(of: "SELECT \(columns) FROM environments ORDER BY name") {
                try read($0)
            })
    }

    /// The environment of this name.
    ///
    /// - Throws: ``RegistryError/environmentUnknown(_:)``, `DatabaseError`.
    package static func find(
        _ name: EnvironmentName, in transaction: borrowing Transaction
    ) throws -> GatewayEnvironment {
        if let builtIn = builtIn(name) { return try set(builtIn, in: transaction) }
        let found = try transaction.firstRow(
            of: "SELECT \(columns) FROM environments WHERE name = ?", [.text(name.text)]
        ) { try read($0) }
        guard let found else { throw RegistryError.environmentUnknown(name) }
        return found
    }

    /// The one realm that all of `names` are of.
    ///
    /// - Throws: ``RegistryError/environmentUnknown(_:)``, ``RegistryError/realmMixed(_:)``, also
    ///   for no names at all; `DatabaseError`.
    package static func realm(
        of names: [EnvironmentName], in transaction: borrowing Transaction
    ) throws -> RealmName {
        var realms: Set<RealmName> = []
        for name in names { realms.insert(try find(name, in: transaction).realm) }
        guard let only = realms.first, realms.count == 1 else {
            throw RegistryError.realmMixed(names)
        }
        return only
    }

    /// Removes an operator's environment that no merchant in service uses.
    ///
    /// Retired merchants lose it. When it was the last of its realm and no merchant is left there,
    /// the realm's roots are forgotten too (``RealmRoots/list(of:in:)`` is then empty).
    ///
    /// - Returns: what was removed.
    /// - Throws: ``RegistryError/environmentBuiltIn(_:)``,
    ///   ``RegistryError/environmentUnknown(_:)``, ``RegistryError/environmentInUse(_:by:)``,
    ///   `DatabaseError`.
    @discardableResult
    package static func remove(
        _ name: EnvironmentName, in transaction: borrowing Transaction
    ) throws -> GatewayEnvironment {
        guard builtIn(name) == nil else { throw RegistryError.environmentBuiltIn(name) }
        let removed = try find(name, in: transaction)
        let users = try transaction.rows(
            of: """
                SELECT id FROM merchant_environments JOIN merchants ON id = merchant
                WHERE environment = ? AND retired_at IS NULL ORDER BY id
                """, [.text(name.text)]
        ) { try $0.merchant("id") }
        guard users.isEmpty else { throw RegistryError.environmentInUse(name, by: users) }
        try transaction.execute(
            "DELETE FROM merchant_environments WHERE environment = ?", [.text(name.text)])
        try transaction.execute("DELETE FROM environments WHERE name = ?", [.text(name.text)])
        try RealmRoots.forgetUnused(removed.realm, in: transaction)
        return removed
    }

    /// Whether a merchant in service may use it.
    ///
    /// - Throws: `DatabaseError`.
    package static func isInService(
        _ name: EnvironmentName, in transaction: borrowing Transaction
    ) throws -> Bool {
        try transaction.hasRow(
            of: """
                SELECT 1 FROM merchant_environments JOIN merchants ON id = merchant
                WHERE environment = ? AND retired_at IS NULL
                """, [.text(name.text)])
    }

    /// Gives an operator's environment another gateway or other roots for the gateway's own certificate;
    /// nil leaves one as it is.
    ///
    /// - Throws: ``RegistryError/environmentBuiltIn(_:)``, ``RegistryError/environmentUnknown(_:)``,
    ///   `DatabaseError`.
    package static func setGateway(
        _ gateway: GatewayAddress?, gatewayCA: String?, of name: EnvironmentName,
        in transaction: borrowing Transaction
    ) throws {
        guard builtIn(name) == nil else { throw RegistryError.environmentBuiltIn(name) }
        let changed = try transaction.execute(
            """
            UPDATE environments SET gateway = coalesce(?, gateway), gateway_ca = coalesce(?, gateway_ca)
            WHERE name = ?
            """, [Value(gateway?.description), Value(gatewayCA), .text(name.text)])
        guard changed == 1 else { throw RegistryError.environmentUnknown(name) }
    }

    /// Sets the proxy that an environment is reached through, or with nil that it is reached directly.
    ///
    /// - Returns: the environment as it is now.
    /// - Throws: ``RegistryError/environmentUnknown(_:)``, `DatabaseError`.
    package static func setProxy(
        _ proxy: String?, of name: EnvironmentName, in transaction: borrowing Transaction
    ) throws -> GatewayEnvironment {
        let changed = try find(name, in: transaction).through(proxy: proxy)
        guard changed.isBuiltIn else {
            try transaction.execute(
                "UPDATE environments SET proxy = ? WHERE name = ?",
                [Value(proxy), .text(name.text)])
            return changed
        }
        try transaction.execute(
            "DELETE FROM apple_proxies WHERE environment = ?", [.text(name.text)])
        if let proxy {
            try transaction.execute(
                "INSERT INTO apple_proxies (environment, proxy) VALUES (?, ?)",
                [.text(name.text), .text(proxy)])
        }
        return changed
    }

    /// One of Apple's with what is set of it here.
    private static func set(
        _ builtIn: GatewayEnvironment, in transaction: borrowing Transaction
    ) throws -> GatewayEnvironment {
        let proxy = try transaction.firstRow(
            of: "SELECT proxy FROM apple_proxies WHERE environment = ?",
            [.text(builtIn.name.text)]
        ) { try $0.text("proxy") }
        return proxy.map { builtIn.through(proxy: $0) } ?? builtIn
    }

    private static func builtIn(_ name: EnvironmentName) -> GatewayEnvironment? {
        GatewayEnvironment.builtIn.first { $0.name == name }
    }

    private static let columns: SQL = "name, realm, gateway, gateway_ca, proxy"

    private static func read(_ row: borrowing Row) throws -> GatewayEnvironment {
        GatewayEnvironment(
            name: try row.environment("name"), realm: try row.realm("realm"),
            gateway: try row.gateway("gateway"), gatewayCA: try row.optionalText("gateway_ca"),
            proxy: try row.optionalText("proxy"), isBuiltIn: false)
    }
}
