import Clocks
import Database
import Files
import Ledger
package import Merchants
import PKI
import Registry
import Vault

/// What is to change of an environment; nil leaves one as it is.
package struct EnvironmentChange: Sendable {
    /// The proxy to go through, or none.
    package enum Proxy: Sendable {
        case through(String)
        case none

        var address: String? {
            if case .through(let address) = self { address } else { nil }
        }
    }

    package var proxy: Proxy?
    package var gateway: GatewayAddress?
    /// A file with the roots that the gateway must verify to, PEM or DER.
    package var gatewayCA: [UInt8]?
    /// Files with roots to add to the realm's.
    package var roots: [[UInt8]] = []

    package init() {}
}

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

    /// Changes how an environment is reached and trusted; Apple's four have a proxy to change alone.
    ///
    /// New roots are added to those of the realm, and certificates that they prove are marked as proven.
    ///
    /// - Returns: the environment, and whether this has changed anything.
    /// - Throws: as ``addEnvironment(_:gatewayCA:roots:)``; ``RegistryError/environmentBuiltIn(_:)``.
    package func changeEnvironment(
        _ name: EnvironmentName, _ change: EnvironmentChange
    ) async throws -> (environment: GatewayEnvironment, changed: Bool) {
        let gatewayCA = try change.gatewayCA.map {
            try certificates(inCAFile: $0, flag: "--gateway-ca").map(\.pem).joined()
        }
        let roots = try change.roots.flatMap {
            try certificates(inCAFile: $0, flag: "--apple-root")
        }
        let before = try await database.read { try Environments.find(name, in: $0) }
        if before.isBuiltIn, change.gateway != nil || gatewayCA != nil || !roots.isEmpty {
            throw RegistryError.environmentBuiltIn(name)
        }
        let lock = try await layout.takeKeysLock(.shared)
        defer { withExtendedLifetime(lock) {} }
        let known = roots.isEmpty ? [] : try await presentTrust(of: before.realm).roots
        let new = roots.filter { root in !known.contains { $0.sha256 == root.sha256 } }
        if !new.isEmpty { try keep(new, of: before.realm) }
        let trust = RealmTrust(known + new, of: before.realm)
        let judged = new.isEmpty ? nil : try await judge(before.realm, by: trust)
        var detail: [String: String] = [:]
        if let proxy = change.proxy { detail["proxy"] = proxy.address ?? "" }
        detail["gateway"] = change.gateway?.description
        if gatewayCA != nil { detail["gatewayCA"] = "replaced" }
        if !new.isEmpty { detail["roots"] = new.map(\.sha256).joined(separator: " ") }
        let entry = entry(.environmentChanged, name.text, detail)
        return try await database.write { transaction in
            let old = try Environments.find(name, in: transaction)
            if change.gateway != nil || gatewayCA != nil {
                try Environments.setGateway(
                    change.gateway, gatewayCA: gatewayCA, of: name, in: transaction)
            }
            if let proxy = change.proxy {
                _ = try Environments.setProxy(proxy.address, of: name, in: transaction)
            }
            for root in new { _ = try RealmRoots.add(root, of: old.realm, in: transaction) }
            let after = try Environments.find(name, in: transaction)
            guard after != old || !new.isEmpty else { return (old, false) }
            try Ledger.append(entry, in: transaction)
            if let judged { _ = try record(judged, old.realm, by: trust, in: transaction) }
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
