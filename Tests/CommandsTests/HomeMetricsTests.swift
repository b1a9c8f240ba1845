import Clocks
import Database
import Ledger
import Merchants
import Metrics
import Registry
import TestSupport
import Testing

@testable import Commands

/// What /metrics tells of the records, and how often they are read for it.
@Suite struct HomeMetricsTests {
    private let folder = TemporaryFolder()

    private func database() async throws -> DatabaseFile {
        try await DatabaseFile.open(
            path: folder.file("purser.db"), mode: .readWriteCreate,
            migrations: HomeSchema.migrations)
    }

    private func lines(_ metrics: HomeMetrics) async -> [String] {
        await metrics.families().flatMap { family in
            String(decoding: family.text, as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }

    private func addShop(_ database: DatabaseFile) async throws {
        let now = SystemClock().now
        let id = try MerchantIdentifier("merchant.com.example.shop")
        let shop = Merchant(
            identifier: id, realm: .apple, environments: [.production], name: nil,
            displayName: nil, team: nil, owners: [], createdAt: now, retiredAt: nil)
        let credential = Credential(
            id: try CredentialIdentifier("0123456789ab"), merchant: id, realm: .apple,
            kind: .merchantIdentity, state: .active, custody: .local, provider: nil,
            publicKeyHash: [UInt8](repeating: 1, count: 32), keyAlgorithm: "RSA 2048", csr: nil,
            certificate: CertificateRecord(
                der: [0x30], fingerprint: String(repeating: "ab", count: 32), subject: "CN=x",
                serialNumber: "0A1B", notBefore: Timestamp(seconds: 1_000_000),
                notAfter: Timestamp(seconds: 100_000_000), teamIdentifier: nil,
                issuerVerified: true), createdAt: now, activatedAt: now)
        try await database.write { transaction in
            try MerchantRecords.add(shop, in: transaction)
            try Credentials.insert(credential, in: transaction)
        }
    }

    @Test func `records become samples`() async throws {
        let database = try await database()
        try await addShop(database)
        let metrics = HomeMetrics(database, rest: .zero)
        await metrics.begin()
        let at = Timestamp(seconds: 2_000)
        try await database.write { transaction in
            try Observations.record(
                Observation(.watch, outcome: "done", at: at), in: transaction)
            try Observations.record(
                Observation(.heartbeat, outcome: "failed", at: at), in: transaction)
            try Observations.record(
                Observation(.gateway, of: "production", outcome: "failed", at: at),
                in: transaction)
            try Observations.record(
                Observation(.gateway, of: "sandbox", outcome: "healthy", at: at), in: transaction)
            for act in [Act.certificateRolledBack, .certificateActivated] {
                try Ledger.append(
                    LedgerEntry(
                        at: at, actor: .current(), act: act, subject: "merchant.com.example.shop"),
                    in: transaction)
            }
        }
        let told = await lines(metrics)
        let labels =
            "{merchant=\"merchant.com.example.shop\",kind=\"merchant-identity\","
            + "credential=\"0123456789ab\",state=\"active\"}"
        for line in [
            "purser_database_readable 1",
            "purser_certificate_not_before_seconds\(labels) 1000000",
            "purser_certificate_not_after_seconds\(labels) 100000000",
            "purser_certificate_renewal_due_seconds\(labels) 94729601",
            "purser_active_serial_info{merchant=\"merchant.com.example.shop\","
                + "kind=\"merchant-identity\",credential=\"0123456789ab\",serial=\"0A1B\"} 1",
            "purser_credentials{kind=\"merchant-identity\",state=\"active\"} 1",
            "purser_credentials{kind=\"payment-processing\",state=\"active\"} 0",
            "purser_processing_keys{state=\"active\"} 0", "purser_merchants 1",
            "purser_alerts_open{urgency=\"critical\"} 0",
            "purser_alerts_open{urgency=\"notice\"} 0", "purser_ledger_head_sequence 2",
            "purser_last_watch_timestamp_seconds 2000",
            "purser_last_heartbeat_timestamp_seconds 2000",
            "purser_last_run_succeeded{run=\"watch\"} 1",
            "purser_last_run_succeeded{run=\"heartbeat\"} 0",
            "purser_gateway_healthy{environment=\"production\"} 0",
            "purser_gateway_healthy{environment=\"sandbox\"} 1",
            "purser_rollbacks_total{merchant=\"merchant.com.example.shop\"} 1",
        ] {
            #expect(told.contains(line), "\(line) in \(told)")
        }
        #expect(!told.contains { $0.hasPrefix("purser_last_renew_timestamp_seconds ") })
        // Counted once, however often it is asked.
        #expect(await lines(metrics) == told)
    }

    @Test func `a renewal is due when the merchant's own window says so`() async throws {
        let database = try await database()
        try await addShop(database)
        let exception = try #require(WindowException("merchant.com.example.shop due=90"))
        let told = await lines(
            HomeMetrics(database, windows: WindowTable(exceptions: [exception])))
        let due = told.filter { $0.hasPrefix("purser_certificate_renewal_due_seconds{") }
        #expect(due.count == 1 && due[0].hasSuffix(" \(94_729_601 - 30 * 86_400)"))
    }

    @Test func `rollbacks of before the start are no news`() async throws {
        let database = try await database()
        try await addShop(database)
        try await database.write { transaction in
            _ = try Ledger.append(
                LedgerEntry(
                    at: Timestamp(seconds: 1), actor: .current(), act: .certificateRolledBack,
                    subject: "merchant.com.example.shop"), in: transaction)
        }
        let told = await lines(HomeMetrics(database, rest: .zero))
        #expect(told.contains("purser_rollbacks_total{merchant=\"merchant.com.example.shop\"} 0"))
    }

    @Test func `a reading serves for a while, and for all who ask meanwhile`() async throws {
        let database = try await database()
        let metrics = HomeMetrics(database, rest: .seconds(600))
        #expect(await lines(metrics).contains("purser_merchants 0"))
        try await addShop(database)
        for _ in 0..<3 { #expect(await lines(metrics).contains("purser_merchants 0")) }
        let fresh = HomeMetrics(database, rest: .zero)
        await withTaskGroup { group in
            for _ in 0..<20 {
                group.addTask { #expect(await lines(fresh).contains("purser_merchants 1")) }
            }
        }
    }

    @Test func `where the records cannot be read, that is all that is told of them`() async throws {
        let database = try await database()
        let metrics = HomeMetrics(database, rest: .zero)
        #expect(await lines(metrics).contains("purser_database_readable 1"))
        await database.close()
        #expect(
            await lines(metrics).filter { !$0.hasPrefix("#") } == ["purser_database_readable 0"])
    }

    @Test func `every measure has a name of its own, and all are told`() async throws {
        let names = ServiceMetrics.all.map(\.name)
        #expect(Set(names).count == names.count)
        let told = await lines(HomeMetrics(try await database()))
        for measure in HomeMeasures.all {
            #expect(told.contains("# TYPE \(measure.name) \(measure.sort.rawValue)"))
            #expect(!measure.help.hasSuffix(".") && !measure.help.contains("\n"))
        }
    }
}
