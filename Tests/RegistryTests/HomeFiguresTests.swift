import Clocks
import Database
import Merchants
import Registry
import TestSupport
import Testing

/// The numbers for metrics, beside rows that were put there by hand.
@Suite struct HomeFiguresTests {
    let home = SampleHome()

    @Test func `certificates that matter are told, each with its longest`() async throws {
        let database = try await home.open()
        try await database.write { transaction in
            try MerchantRecords.add(SampleHome.merchant("shop"), in: transaction)
            var seed: UInt8 = 1
            for state in CredentialState.allCases {
                try Credentials.insert(
                    SampleHome.credential(
                        seed, of: "shop", state: state, days: state == .requested ? nil : 100),
                    in: transaction)
                seed += 1
            }
        }
        let states = try await database.read { transaction in
            var found: [String] = []
            try HomeFigures.forEachCertificate(in: transaction) {
                #expect($0.merchant == "merchant.com.example.shop")
                #expect($0.notAfter == SampleHome.now.adding(days: 100))
                found.append($0.state)
            }
            return found
        }
        #expect(states == ["issued", "active", "retiring"])
        let counts = try await database.read { try HomeFigures.credentialCounts(in: $0) }
        #expect(counts.count == 8 && counts.allSatisfy { $0.count == 1 && $0.custody == "local" })
        let merchants = try await database.read { try HomeFigures.merchants(in: $0) }
        #expect(merchants == ["merchant.com.example.shop"])
        _ = try home.sqlite3("UPDATE credentials SET rolled_back_at = 5")
        let rolledBack = try await database.read { transaction in
            try HomeFigures.rolledBack(in: transaction).map { $0.count }
        }
        #expect(rolledBack == [1])
    }

    @Test func `every delivery and every failure is tallied by the schema itself`() async throws {
        let database = try await home.open()
        func must(_ sql: String) throws {
            let result = try home.sqlite3(sql)
            #expect(result.status == 0, "\(result.errorText)")
        }
        try must(
            """
            INSERT INTO alerts VALUES ('0123456789ab', NULL, NULL, 'gateway', 'x', '', 'critical',
                's', 'r', NULL, 1, 1, NULL, NULL, NULL, NULL),
                ('0123456789ac', NULL, NULL, 'expiry', 'y', '30', 'warning', 's', 'r', NULL, 1, 1, NULL,
                NULL, NULL, NULL),
                ('0123456789ad', NULL, NULL, 'expiry', 'z', '30', 'warning', 's', 'r', NULL, 1, 1, 5,
                NULL, NULL, NULL)
            """)
        // Refused twice, then taken at two stages, then recovered; and one taken at once.
        try must(
            """
            INSERT INTO alert_deliveries (alert, channel, failures, failing_since)
            VALUES ('0123456789ab', 'mail:ops@example.com', 1, 100);
            UPDATE alert_deliveries SET failures = 2;
            """)
        let failing = try await database.read { try HomeFigures.alertTallies(in: $0) }
        #expect(failing.map(\.undelivered) == [1] && failing[0].failingSince?.seconds == 100)
        try must(
            """
            UPDATE alert_deliveries SET failures = 0, failing_since = NULL, told_at = 200;
            UPDATE alert_deliveries SET last_error = NULL;
            UPDATE alert_deliveries SET told_at = 300;
            UPDATE alert_deliveries SET recovery_told_at = 400;
            INSERT INTO alert_deliveries (alert, channel, told_at)
            VALUES ('0123456789ac', 'webhook', 100), ('0123456789ac', 'mail:b@example.com', 100);
            """)
        let tallies = try await database.read { try HomeFigures.alertTallies(in: $0) }
        #expect(tallies.map(\.channel) == ["mail", "webhook"])
        #expect(tallies.map(\.sent) == [4, 1] && tallies.map(\.failed) == [2, 0])
        #expect(tallies.allSatisfy { $0.undelivered == 0 && $0.failingSince == nil })
        let open = try await database.read { try HomeFigures.openAlerts(in: $0) }
        #expect(open == ["critical": 1, "warning": 1])
    }
}
