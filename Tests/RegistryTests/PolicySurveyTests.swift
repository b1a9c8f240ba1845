import Clocks
import Database
import Merchants
import Testing

@testable import Registry

@Suite struct PolicySurveyTests {
    private let sample = SampleHome()

    private func open(_ credentials: Credential...) async throws -> DatabaseFile {
        let database = try await sample.open()
        try await database.write { transaction in
            for name in ["shop", "twin", "none"] {
                try MerchantRecords.add(try SampleHome.merchant(name), in: transaction)
            }
            try Domains.add(
                try DomainName("shop.example.com"), to: try SampleHome.id("shop"),
                at: SampleHome.now, in: transaction)
            for credential in credentials { try Credentials.insert(credential, in: transaction) }
        }
        return database
    }

    private func survey(
        _ database: DatabaseFile, of merchant: MerchantIdentifier? = nil
    ) async throws -> [KindFacts] {
        try await database.read { transaction in
            var all: [KindFacts] = []
            try PolicySurvey(
                windows: WindowTable(), periods: RotationPeriods(), at: SampleHome.now,
                in: transaction
            ).forEachKind(of: merchant, in: transaction) { all.append($0) }
            return all
        }
    }

    @Test func `every merchant's identity is handed over, and each processing kind that there is`()
        async throws
    {
        let database = try await open(
            try SampleHome.credential(9, of: "twin"),
            try SampleHome.credential(5, of: "shop", state: .requested, days: nil),
            try SampleHome.credential(6, of: "shop", kind: .paymentProcessing, state: .active),
            try SampleHome.credential(7, of: "shop", state: .destroyed),
            try SampleHome.credential(8, of: "twin", kind: .paymentProcessingRSA, state: .revoked))
        let all = try await survey(database)
        #expect(
            all.map { "\($0.merchant.text.split(separator: ".")[3]) \($0.kind.rawValue)" } == [
                "none merchant-identity", "shop merchant-identity", "shop payment-processing",
                "twin merchant-identity", "twin payment-processing-rsa",
            ])
        // Destroyed ones are told, too: what was in use is not forgotten with its key.
        #expect(all.map(\.credentials.count) == [0, 2, 1, 1, 1])
        #expect(all.map(\.hasDomains) == [false, true, true, false, false])
        #expect(all[1].credentials[0].notAfter == nil)
        let processing = all[2].credentials[0]
        #expect(processing.notAfter == SampleHome.now.adding(days: 760))
        #expect(processing.team == "ABCDE12345")
        let shop = try await survey(database, of: SampleHome.id("shop"))
        #expect(shop == Array(all[1...2]))
        #expect(try await survey(database, of: SampleHome.id("unknown")).isEmpty)
    }

    @Test func `a provider's identities stand by themselves, after ours`() async throws {
        let database = try await open(
            try SampleHome.credential(1, of: "twin", custody: .provider),
            try SampleHome.credential(2, of: "twin"),
            try SampleHome.credential(3, of: "shop", custody: .provider))
        let all = try await survey(database)
        #expect(
            all.map { $0.credentials.map(\.custody) } == [
                [], [.provider], [.local], [.provider],
            ])
    }

    @Test func `of several certificates for a key the one that lasts longest counts`() async throws
    {
        let credential = try SampleHome.credential(9, of: "twin", days: 30)
        let database = try await open(credential)
        for (seed, days) in [(3, 900), (4, 90)] as [(UInt8, Int64)] {
            try await database.write { transaction in
                try Credentials.add(
                    SampleHome.certificate(seed, days: days), to: credential.id,
                    at: SampleHome.now, in: transaction)
            }
        }
        let facts = try await survey(database, of: SampleHome.id("twin"))
        #expect(facts[0].credentials.map(\.notAfter) == [SampleHome.now.adding(days: 900)])
    }

    @Test(arguments: ["good", "unnamed", "failed", "unknown", ""])
    func `what issuers said goes with the credential`(outcome: String) async throws {
        let later = SampleHome.now.adding(seconds: 9)
        let silent = IssuerWord.silent(
            since: SampleHome.now, why: "could not be asked about: x")
        let words: [String: IssuerWord] = [
            "good": .good(at: later), "unnamed": .nobodyToAsk, "failed": silent, "unknown": silent,
        ]
        let credential = try SampleHome.credential(1, of: "shop", state: .active)
        let database = try await open(credential)
        for moment in [SampleHome.now, later] where outcome != "" {
            try await database.write { transaction in
                try Observations.record(
                    Observation(
                        .ocsp, of: credential.id.text, outcome: outcome,
                        detail: "certificate 01 could not be asked about: x", at: moment),
                    in: transaction)
            }
        }
        let facts = try await survey(database, of: SampleHome.id("shop"))
        #expect(facts[0].credentials[0].issuerWord == words[outcome])
    }

    @Test func `what the watch has seen is a trouble of its credential`() async throws {
        let good = try SampleHome.credential(1, of: "shop", state: .active)
        let bad = try SampleHome.credential(2, of: "twin", state: .active)
        let database = try await open(good, bad)
        try await database.write { transaction in
            for (sort, outcome, id) in [
                (.ocsp, "revoked", bad.id), (.rehearsal, "failed", bad.id),
                (.ocsp, "good", good.id), (.rehearsal, "incomplete", good.id),
            ] as [(Observation.Sort, String, CredentialIdentifier)] {
                try Observations.record(
                    Observation(
                        sort, of: id.text, outcome: outcome, detail: "why", at: SampleHome.now),
                    in: transaction)
            }
        }
        let facts = try await survey(database).filter { !$0.credentials.isEmpty }
        #expect(
            facts.map { $0.credentials[0].troubles } == [
                [.unfinishedAtApple("why")], [.revokedByIssuer, .refusedByApple("why")],
            ])
        // Since when it is so stays, while the outcome does.
        let later = SampleHome.now.adding(days: 1)
        for outcome in ["revoked", "good"] {
            try await database.write {
                try Observations.record(
                    Observation(.ocsp, of: bad.id.text, outcome: outcome, at: later), in: $0)
            }
            let seen = try await database.read {
                try Observations.find(.ocsp, of: bad.id.text, in: $0)
            }
            #expect(seen?.at == later)
            #expect(seen?.since == (outcome == "revoked" ? SampleHome.now : later))
        }
    }

    @Test func `the scan needs no sorting and reads no certificate, so its memory does not grow`()
        async throws
    {
        let database = try await open()
        for (query, values) in [
            (PolicySurvey.everybody, []), (PolicySurvey.oneMerchant, [.text("x")]),
        ] as [(SQL, [Value])] {
            let plan = try await database.read { transaction in
                try transaction.rows(
                    of: "EXPLAIN QUERY PLAN \(query)", values
                ) { try $0.text("detail") }
            }
            #expect(!plan.isEmpty)
            #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
            #expect(plan.contains { $0.contains("COVERING INDEX certificates") }, "\(plan)")
        }
    }
}
