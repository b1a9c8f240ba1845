import Clocks
import Database
import HomeSupport
import Issuance
import Ledger
import Merchants
import PKI
import Registry
import TestSupport
import Testing

@Suite struct DomainActsTests {
    private func domain(_ text: String = "shop.example.com") throws -> DomainName {
        try DomainName(text)
    }

    private func kept(_ shop: Shop) async throws -> KeptAssociationFile? {
        try await shop.home.database.read {
            try AssociationFiles.find(
                DomainName("shop.example.com"), of: shop.merchant, in: $0)
        }
    }

    @Test func `a file is kept byte for byte, replaced by another, and gone with its domain`()
        async throws
    {
        let shop = try await Shop()
        let domain = try domain()
        let first = try shop.pki.portalFile(for: "Shop.Example.com", lineEnd: "\r\n")
        var added = try await shop.home.addDomain(
            domain, of: shop.merchant, file: try AssociationFile(first))
        #expect(added.isNew && added.file == .kept)
        #expect(added.warnings == [.teamNotCompared("TEAM123456")])
        #expect(try await kept(shop)?.bytes == first)
        #expect(try await kept(shop)?.isVerified == true)

        added = try await shop.home.addDomain(
            domain, of: shop.merchant, file: try AssociationFile(first))
        #expect(!added.isNew && added.file == .present && !added.isChange)
        added = try await shop.home.addDomain(domain, of: shop.merchant)
        #expect(!added.isChange && added.file == nil)
        #expect(try await kept(shop)?.bytes == first)

        let second = try shop.pki.platformFile()
        added = try await shop.home.addDomain(
            domain, of: shop.merchant, file: try AssociationFile(second))
        #expect(added.file == .replaced && added.isChange)
        #expect(try await kept(shop)?.bytes == second)
        let told = try await shop.home.database.read { transaction in
            try Ledger.list(LedgerFilter(act: .associationFileKept), in: transaction)
                .map { $0.details?["sha256"] }
        }
        #expect(told == [first, second].map { Hexadecimal.lowercase(SHA256.hash($0)) })

        try await shop.home.removeDomain(domain, of: shop.merchant)
        #expect(try await kept(shop) == nil)
    }

    @Test func `a file for another domain, team or realm is refused, and the domain with it`()
        async throws
    {
        let shop = try await Shop()
        let domain = try domain()
        func refused(_ bytes: [UInt8]) async -> AssociationFault? {
            do {
                let file = try AssociationFile(bytes)
                try await shop.home.addDomain(domain, of: shop.merchant, file: file)
                return nil
            } catch {
                return error as? AssociationFault
            }
        }
        #expect(
            await refused(try shop.pki.portalFile(for: "www.shop.example.com"))
                == .otherDomain("www.shop.example.com", wanted: domain))
        let stranger = try shop.pki.portalFile(
            json: #"{"teamId":"TEAM123456","domain":"shop.example.com","version":1}"#,
            by: shop.pki.stranger)
        #expect(await refused(stranger) == .notApples(realm: try RealmName("lab")))
        // The team of its certificates counts where none was named.
        _ = try await shop.issued(.merchantIdentity)
        #expect(
            await refused(try shop.pki.portalFile(for: "shop.example.com", team: "TEAM999999"))
                == .otherTeam("TEAM999999", wanted: ["TEAM123456"]))
        var change = MerchantChange()
        change.team = "TEAM999999"
        _ = try await shop.home.changeMerchant(shop.merchant, change)
        #expect(
            await refused(try shop.pki.portalFile(for: "shop.example.com"))
                == .otherTeam("TEAM123456", wanted: ["TEAM999999"]))
        #expect(try await !shop.acts().contains("domain.added"))
        #expect(
            await refused(try shop.pki.portalFile(for: "shop.example.com", team: "TEAM999999"))
                == nil)
    }

    @Test func `an old file serves a domain that Apple knows, and no first verification`()
        async throws
    {
        let shop = try await Shop()
        let domain = try domain()
        let (old, new) = (shop.clock.now.adding(days: -7), shop.clock.now.adding(days: -6))
        var change = MerchantChange()
        change.team = "TEAM123456"
        _ = try await shop.home.changeMerchant(shop.merchant, change)
        func warnings(_ moment: Timestamp) async throws -> [AssociationWarning] {
            let file = try AssociationFile(
                try shop.pki.portalFile(for: "shop.example.com", at: moment))
            return try await shop.home.addDomain(domain, of: shop.merchant, file: file).warnings
        }
        #expect(try await warnings(old) == [.tooOldForFirst(old)])
        #expect(try await warnings(new) == [])
        try await shop.home.database.write {
            try Domains.setProven(domain, of: shop.merchant, at: shop.clock.now, in: $0)
        }
        #expect(try await warnings(old) == [])
    }

    @Test func `of two merchants' files for one domain the last one is served, and that is told`()
        async throws
    {
        let shop = try await Shop()
        let other = try MerchantIdentifier("merchant.com.example.a-second")
        try await shop.home.addMerchant(
            other, environments: [EnvironmentName("lab")], change: MerchantChange())
        let domain = try domain()
        func add(_ bytes: [UInt8], _ merchant: MerchantIdentifier) async throws
            -> [AssociationWarning]
        {
            try await shop.home.addDomain(
                domain, of: merchant, file: try AssociationFile(bytes)
            ).warnings.filter { if case .replacesServed = $0 { true } else { false } }
        }
        func served() async throws -> [UInt8]? {
            try await shop.home.database.read { try AssociationFiles.served(in: $0)[domain] }
        }
        let one = try shop.pki.platformFile(provider: "1")
        let two = try shop.pki.platformFile(provider: "2")
        #expect(try await add(one, shop.merchant) == [])
        #expect(try await add(one, other) == [])
        #expect(try await add(two, other) == [.replacesServed(shop.merchant)])
        #expect(try await served() == two)
        #expect(try await add(one, shop.merchant) == [.replacesServed(other)])
        #expect(try await served() == one)
        try await shop.home.retireMerchant(shop.merchant)
        #expect(try await served() == two)
    }
}
