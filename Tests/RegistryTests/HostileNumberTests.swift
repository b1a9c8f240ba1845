import Clocks
import Database
import Merchants
import Registry
import TestSupport
import Testing

/// Numbers in the database that are none of ours, such as `Int64.max` for a time.
@Suite struct HostileNumberTests {
    let home = SampleHome()

    /// Every column with an integer in it, as SQLite tells them.
    private func columns() throws -> [(table: String, column: String)] {
        let told = try home.sqlite3(
            """
            SELECT t.name || ' ' || c.name FROM pragma_table_list AS t, pragma_table_info(t.name) AS c
            WHERE c.type = 'INTEGER' AND t.schema = 'main' AND t.name NOT LIKE 'sqlite_%'
                AND t.name <> 'ledger'
            """)
        return told.text.split(separator: "\n").map {
            let words = $0.split(separator: " ")
            return (String(words[0]), String(words[1]))
        }
    }

    private func fill() async throws {
        let database = try await home.open()
        try await database.write { transaction in
            try MerchantRecords.add(SampleHome.merchant("shop"), in: transaction)
            try Domains.add(
                DomainName("shop.example.com"), to: SampleHome.id("shop"), at: SampleHome.now,
                in: transaction)
            try Credentials.insert(
                SampleHome.credential(1, of: "shop", state: .active), in: transaction)
            try Credentials.insert(
                SampleHome.credential(2, of: "shop", state: .retiring), in: transaction)
        }
        await database.close()
    }

    /// Reads everything, and reckons with the times that it finds.
    private func readAll() async throws {
        let database = try await home.open()
        try await database.read { transaction in
            let merchants = try MerchantRecords.list(in: transaction)
            for time in merchants.flatMap({ [$0.createdAt, $0.retiredAt ?? $0.createdAt] }) {
                _ = "\(time) \(time.days(since: SampleHome.now)) \(time.adding(days: 30))"
            }
            _ = try ServingSnapshot(in: transaction)
            _ = try Domains.list(of: SampleHome.id("shop"), in: transaction)
            for credential in try Credentials.list(in: transaction) {
                _ = "\(credential.createdAt) \(String(describing: credential.activatedAt))"
                _ = try Credentials.certificates(of: credential.id, in: transaction)
                _ = try Credentials.times(of: credential.id, in: transaction)
            }
            let survey = try PolicySurvey(
                windows: WindowTable(), periods: RotationPeriods(), at: SampleHome.now,
                in: transaction)
            try survey.forEachKind(in: transaction) { facts in
                _ = KindPolicies.findings(facts)
                _ = RotationPlan(facts)
            }
            try Domains.forEachRefused(in: transaction) { _ = $0.finding(at: SampleHome.now) }
        }
    }

    @Test(arguments: [Int64.min, .min + 1, -1, .max - 1, .max])
    func `no number in any column stops the program otherwise than by an error`(
        number: Int64
    ) async throws {
        try await fill()
        let columns = try columns()
        #expect(columns.count >= 10)
        for (table, column) in columns {
            let saved = home.folder.read("purser.db")
            // As text, because the shell's own reading of the least number is a real one.
            let done = try home.sqlite3(
                """
                PRAGMA ignore_check_constraints = 1;
                UPDATE \(table) SET \(column) = CAST('\(number)' AS INTEGER)
                """)
            #expect(done.errorText == "" || done.errorText.contains("UNIQUE"))
            do {
                try await readAll()
            } catch {
                let isKnown = error is RegistryError || error is DatabaseError
                #expect(isKnown, "\(table).\(column): \(error)")
            }
            home.folder.write("purser.db", saved)
        }
    }

    @Test(arguments: ["created_at", "activated_at", "state_changed_at", "retiring_since"])
    func `a time beyond the year 9999 is named by its column`(column: String) async throws {
        try await fill()
        _ = try home.sqlite3(
            "UPDATE credentials SET \(column) = 9223372036854775807 WHERE state = 'retiring'")
        let error = await #expect(throws: RegistryError.self) { try await readAll() }
        #expect(error == .damaged(column: column, why: nil))
    }
}
