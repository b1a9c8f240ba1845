import Database
import Merchants
import Registry
import TestSupport
import Testing

@Suite struct HomeSchemaTests {
    let home = SampleHome()

    @Test func `sqlite3 finds all tables, strict, and the file sound`() async throws {
        try await home.open().close()
        let tables = try home.sqlite3(
            "SELECT group_concat(name) FROM (SELECT name FROM pragma_table_list "
                + "WHERE schema = 'main' AND strict ORDER BY name)")
        #expect(
            tables.text
                == """
                alert_deliveries,alert_tallies,alerts,api_tokens,apple_proxies,association_files,\
                certificates,credentials,domains,environments,ledger,merchant_environments,\
                merchants,observations,realm_roots

                """)
        #expect(try home.sqlite3("PRAGMA integrity_check").text == "ok\n")
        #expect(try home.sqlite3(".schema").text.contains("one_active_identity"))
    }

    @Test func `kinds, states and custodies of the schema are those of the program`() async throws {
        let database = try await home.open()
        try await database.write { transaction in
            try MerchantRecords.add(try SampleHome.merchant("shop"), in: transaction)
            var seed: UInt8 = 1
            for kind in CredentialKind.allCases {
                for state in CredentialState.allCases {
                    for custody in Custody.allCases {
                        if state == .active, kind.isProcessing, custody == .provider { continue }
                        try Credentials.insert(
                            SampleHome.credential(
                                seed, of: "shop", kind: kind, state: state, custody: custody),
                            in: transaction)
                        seed += 1
                    }
                }
            }
        }
        let schema = try home.sqlite3("SELECT sql FROM sqlite_schema WHERE name = 'credentials'")
            .text
        for name in CredentialKind.allCases.map(\.rawValue)
            + CredentialState.allCases.map(\.rawValue)
        {
            #expect(schema.contains("'\(name)'"))
        }
        // Three kinds, eight states, two custodies; and the two rules that name one.
        #expect(schema.count { $0 == "'" } == 2 * (3 + 8 + 2 + 2))
    }

    @Test(arguments: [
        "INSERT INTO credentials SELECT '000000000000', merchant, 'gift-card', 'issued', custody, "
            + "provider, zeroblob(32), key_algorithm, csr, created_at, NULL, 1, NULL, NULL, NULL, 0 "
            + "FROM credentials",
        "INSERT INTO domains VALUES ('merchant.com.example.none', 'shop.example.com', 1, NULL, NULL, NULL)",
        "UPDATE credentials SET state = 'lost'",
        "UPDATE credentials SET state = 'retiring'",
        "UPDATE credentials SET public_key_hash = zeroblob(31)",
        "UPDATE credentials SET created_at = 'soon'",
        "UPDATE credentials SET custody = 'provider'",
        "DELETE FROM merchants",
        "INSERT INTO environments VALUES ('x', 'apple', 'https://h', NULL, NULL)",
    ])
    func `rows that break a rule are refused by the schema itself`(sql: String) async throws {
        let database = try await home.open()
        try await database.write { transaction in
            try MerchantRecords.add(try SampleHome.merchant("shop"), in: transaction)
            try Credentials.insert(SampleHome.credential(1, of: "shop"), in: transaction)
        }
        #expect(
            try home.sqlite3(sql).errorText.contains("onstraint failed")
                || home.sqlite3(sql).errorText.contains("cannot store"))
    }

    @Test(arguments: RegistryError.examples)
    func `every error can be acted on`(error: RegistryError) {
        #expect(!error.remedy.isEmpty && error.remedy.count <= 120)
        #expect(error.summary.count <= 120 && !error.summary.hasSuffix("."))
    }

    @Test func `no two errors share a code and the examples are there`() {
        let codes = RegistryError.examples.map(\.code)
        #expect(codes.count == 23)
        #expect(Set(codes).count == codes.count)
    }
}
