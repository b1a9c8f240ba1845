import Clocks
import Database
import Merchants
import Registry
import TestSupport
import Testing

/// A home's database, with merchants and credentials to put into it.
struct SampleHome {
    let folder = TemporaryFolder()
    static let now = Timestamp(seconds: 1_780_000_000)

    var path: String { folder.file("purser.db") }

    func open() async throws -> DatabaseFile {
        try await DatabaseFile.open(
            path: path, mode: .readWriteCreate, migrations: HomeSchema.migrations)
    }

    /// What the `sqlite3` command answers.
    func sqlite3(_ sql: String) throws -> ForeignProcess.Result {
        try ForeignProcess.run("sqlite3", ["-batch", path, "PRAGMA foreign_keys = ON", sql])
    }

    static func id(_ name: String) throws -> MerchantIdentifier {
        try MerchantIdentifier("merchant.com.example.\(name)")
    }

    static func merchant(
        _ name: String, realm: RealmName = .apple, environments: [EnvironmentName] = [.production]
    ) throws -> Merchant {
        Merchant(
            identifier: try id(name), realm: realm, environments: environments,
            name: "Shop \(name)", displayName: try DisplayName("Shop \(name)"), team: "ABCDE12345",
            owners: ["ops@example.com", "\"quoted\"/slash@example.com"], createdAt: now,
            retiredAt: nil)
    }

    static func environment(_ name: String, realm: String? = nil) throws -> GatewayEnvironment {
        GatewayEnvironment(
            name: try EnvironmentName(name), realm: try RealmName(realm ?? name),
            gateway: try GatewayAddress("https://localhost:8443"), gatewayCA: "ca text",
            proxy: "http://proxy:3128", isBuiltIn: false)
    }

    /// A certificate that lasts `days` from now; the registry does not look into its bytes.
    static func certificate(_ seed: UInt8, days: Int64) -> CertificateRecord {
        CertificateRecord(
            der: [0x30, seed], fingerprint: String(repeating: hex(seed), count: 32),
            subject: "UID=merchant.com.example.shop", serialNumber: "0A\(seed)", notBefore: now,
            notAfter: now.adding(days: days), teamIdentifier: "ABCDE12345", issuerVerified: true)
    }

    static func credential(
        _ seed: UInt8, of merchant: String, kind: CredentialKind = .merchantIdentity,
        state: CredentialState = .issued, custody: Custody = .local, days: Int64? = 760
    ) throws -> Credential {
        Credential(
            id: try CredentialIdentifier(String(repeating: hex(seed), count: 6)),
            merchant: try id(merchant), realm: .apple, kind: kind, state: state, custody: custody,
            provider: custody == .provider ? "Example Pay" : nil,
            publicKeyHash: [UInt8](repeating: seed, count: 32), keyAlgorithm: "RSA 2048",
            csr: [0x30, 0x00, seed], certificate: days.map { certificate(seed, days: $0) },
            createdAt: now.adding(seconds: Int64(seed)), activatedAt: nil)
    }

    private static func hex(_ byte: UInt8) -> String {
        byte < 16 ? "0\(String(byte, radix: 16))" : String(byte, radix: 16)
    }
}

/// Expects that a write fails with `expected`.
func expectRefusal(
    _ expected: RegistryError, from database: DatabaseFile,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: @Sendable (borrowing Transaction) throws -> Void
) async {
    await #expect(throws: expected, sourceLocation: sourceLocation) {
        try await database.write(body)
    }
}
