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
        if environment.realm != .apple && !roots.isEmpty {
            try Folder.makeAll(["anchors", environment.realm.text], below: layout.path)
            for root in roots {
                try DurableFile.write(
                    Array(root.pem.utf8), to: layout.anchor(environment.realm, root.sha256),
                    replacing: true)
            }
        }
        let entry = entry(
            .environmentAdded, environment.name.text,
            [
                "realm": environment.realm.text, "gateway": environment.gateway.description,
                "roots": roots.map(\.sha256).joined(separator: " "),
            ])
        try await database.write { transaction in
            try Environments.add(environment, in: transaction)
            for root in roots {
                try RealmRoots.add(
                    RealmRoot(
                        realm: environment.realm, fingerprint: root.sha256,
                        subject: root.subject.rfc4514), in: transaction)
            }
            try Ledger.append(entry, in: transaction)
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

    /// The trust roots of a realm, from the files that its records name.
    ///
    /// - Throws: ``IssuanceError/anchorMissing(_:)`` where a file is gone or is another
    ///   certificate, ``DatabaseError``.
    func roots(of realm: RealmName) async throws -> [Certificate] {
        let records = try await database.read { try RealmRoots.list(of: realm, in: $0) }
        return try records.map { record in
            let path = layout.anchor(realm, record.fingerprint)
            guard let bytes = try InputFile.readIfPresent(path, limit: 1 << 16),
                let root = try? Certificate(pem: bytes), root.sha256 == record.fingerprint
            else { throw IssuanceError.anchorMissing("\(realm)/\(record.fingerprint)") }
            return root
        }
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
