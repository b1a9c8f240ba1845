import Clocks
import Database
import Files
import Ledger
package import Merchants
import PKI
import Registry
import Vault

extension OpenHome {
    /// Defines an environment of the operator's, with the roots of its realm.
    ///
    /// The roots' files are durable before the record that names them; a file that no record names
    /// is not trusted.
    ///
    /// - Throws: ``IssuanceError/notACertificateFile(_:)`` for files without a certificate,
    ///   ``RegistryError``, ``FileError``, ``DatabaseError``.
    package func addEnvironment(
        _ given: GatewayEnvironment, gatewayCA bundle: [UInt8]? = nil, roots files: [[UInt8]]
    ) async throws {
        // Only certificates are kept, as they were read: a file may hold a private key too.
        let gatewayCA = try bundle.map {
            try certificates(inCAFile: $0, flag: "--gateway-ca").map(\.pem).joined()
        }
        let environment = GatewayEnvironment(
            name: given.name, realm: given.realm, gateway: given.gateway, gatewayCA: gatewayCA,
            proxy: given.proxy, isBuiltIn: false)
        let roots = try files.flatMap { try certificates(inCAFile: $0, flag: "--apple-root") }
        // Nobody may take a file that is on its way for one that was left unfinished.
        let lock = try await layout.takeKeysLock(.shared)
        defer { withExtendedLifetime(lock) {} }
        // In realm apple nothing is trusted but what `trust add` admits, and no environment added.
        guard environment.realm != .apple else {
            throw RegistryError.realmReserved(environment.name)
        }
        try keep(roots, of: environment.realm)
        let known = try await presentTrust(of: environment.realm)
        let trust = RealmTrust(known.roots + roots, of: environment.realm)
        let judged = try await judge(environment.realm, by: trust)
        let entry = entry(
            .environmentAdded, environment.name.text,
            [
                "realm": environment.realm.text, "gateway": environment.gateway.description,
                "roots": roots.map(\.sha256).joined(separator: " "),
            ])
        try await database.write { transaction in
            try Environments.add(environment, in: transaction)
            for root in roots {
                _ = try RealmRoots.add(root, of: environment.realm, in: transaction)
            }
            try Ledger.append(entry, in: transaction)
            _ = try record(judged, environment.realm, by: trust, in: transaction)
        }
    }

    /// Sets the proxy that an environment is reached through, Apple's too; nil reaches it directly.
    ///
    /// - Returns: the environment, and whether this has changed it.
    /// - Throws: ``RegistryError``, ``DatabaseError``.
    package func setProxy(
        _ proxy: String?, of name: EnvironmentName
    ) async throws -> (environment: GatewayEnvironment, changed: Bool) {
        let entry = entry(.environmentChanged, name.text, ["proxy": proxy ?? ""])
        return try await database.write { transaction in
            let before = try Environments.find(name, in: transaction)
            guard before.proxy != proxy else { return (before, false) }
            let after = try Environments.setProxy(proxy, of: name, in: transaction)
            try Ledger.append(entry, in: transaction)
            return (after, true)
        }
    }

    /// Removes an environment that no merchant in service uses.
    ///
    /// - Throws: ``RegistryError``, ``DatabaseError``.
    @discardableResult
    package func removeEnvironment(_ name: EnvironmentName) async throws -> GatewayEnvironment {
        let entry = entry(.environmentRemoved, name.text)
        return try await database.write { transaction in
            let removed = try Environments.remove(name, in: transaction)
            try Ledger.append(entry, in: transaction)
            return removed
        }
    }

    /// All environments, Apple's first.
    ///
    /// - Throws: ``DatabaseError``.
    package func environments() async throws -> [GatewayEnvironment] {
        try await database.read { try Environments.list(in: $0) }
    }

    private func certificates(
        inCAFile bytes: [UInt8], flag: String
    ) throws(IssuanceError) -> [Certificate] {
        let found =
            (try? Certificate.all(inPEM: bytes)) ?? (try? Certificate(der: bytes)).map { [$0] }
            ?? []
        guard !found.isEmpty else { throw .notACertificateFile(flag) }
        return found
    }
}

extension HomeLayout {
    /// The file of a trust root.
    func anchor(_ realm: RealmName, _ fingerprint: String) -> String {
        "\(anchors)/\(realm)/\(fingerprint).pem"
    }
}
