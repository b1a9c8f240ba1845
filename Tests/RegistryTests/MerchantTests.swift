import Clocks
import Database
import Merchants
import Registry
import TestSupport
import Testing

@Suite struct MerchantTests {
    let home = SampleHome()

    @Test func `a merchant comes back as it was`() async throws {
        let database = try await home.open()
        let full = try SampleHome.merchant(
            "full", environments: [.sandbox, .production, .productionChina])
        let bare = Merchant(
            identifier: try SampleHome.id("bare"), realm: .apple, environments: [.production],
            name: nil, displayName: nil, team: nil, owners: [], createdAt: SampleHome.now,
            retiredAt: nil)
        try await database.write { transaction in
            try MerchantRecords.add(full, in: transaction)
            try MerchantRecords.add(bare, in: transaction)
        }
        #expect(try await database.read { try MerchantRecords.list(in: $0) } == [bare, full])
        #expect(
            try await database.read { try MerchantRecords.find(full.identifier, in: $0) } == full)
    }

    @Test func `identifiers differ by case and are unique`() async throws {
        let database = try await home.open()
        try await database.write { transaction in
            try MerchantRecords.add(SampleHome.merchant("shop"), in: transaction)
            try MerchantRecords.add(SampleHome.merchant("SHOP"), in: transaction)
        }
        await expectRefusal(.merchantExists(try SampleHome.id("shop")), from: database) {
            try MerchantRecords.add(SampleHome.merchant("shop"), in: $0)
        }
        #expect(try await database.read { try MerchantRecords.list(in: $0) }.count == 2)
    }

    @Test func `environments must be known and of the merchant's realm`() async throws {
        let database = try await home.open()
        let lab = try SampleHome.environment("lab")
        try await database.write { try Environments.add(lab, in: $0) }
        let unknown = try EnvironmentName("moon")
        await expectRefusal(.environmentUnknown(unknown), from: database) {
            try MerchantRecords.add(
                SampleHome.merchant("a", environments: [.production, unknown]), in: $0)
        }
        await expectRefusal(.realmMixed([.production, lab.name]), from: database) {
            try MerchantRecords.add(
                SampleHome.merchant("a", environments: [.production, lab.name]), in: $0)
        }
        await expectRefusal(.realmMixed([lab.name]), from: database) {
            try MerchantRecords.add(SampleHome.merchant("a", environments: [lab.name]), in: $0)
        }
        await expectRefusal(.withoutEnvironment(try SampleHome.id("a")), from: database) {
            try MerchantRecords.add(SampleHome.merchant("a", environments: []), in: $0)
        }
        #expect(try await database.read { try MerchantRecords.list(in: $0) } == [])
    }

    @Test func `a merchant can be changed in all but its identifier and realm`() async throws {
        let database = try await home.open()
        let before = try SampleHome.merchant("shop")
        let after = Merchant(
            identifier: before.identifier, realm: .apple, environments: [.sandbox, .production],
            name: nil, displayName: try DisplayName("New Name"), team: nil, owners: ["a@b.example"],
            createdAt: before.createdAt, retiredAt: nil)
        try await database.write { transaction in
            try MerchantRecords.add(before, in: transaction)
            try MerchantRecords.update(after, in: transaction)
        }
        #expect(
            try await database.read { try MerchantRecords.find(after.identifier, in: $0) } == after)
        await expectRefusal(.merchantUnknown(try SampleHome.id("none")), from: database) {
            try MerchantRecords.update(SampleHome.merchant("none"), in: $0)
        }
    }

    @Test func `a retired merchant stays listed and takes nothing more`() async throws {
        let database = try await home.open()
        let id = try SampleHome.id("shop")
        let time = SampleHome.now.adding(days: 3)
        try await database.write { transaction in
            try MerchantRecords.add(SampleHome.merchant("shop"), in: transaction)
            try MerchantRecords.retire(id, at: time, in: transaction)
        }
        #expect(
            try await database.read { try MerchantRecords.find(id, in: $0) }.retiredAt == time)
        #expect(
            try await database.read {
                try MerchantRecords.list(includingRetired: false, in: $0)
            } == [])
        let refusal = RegistryError.merchantRetired(id)
        await expectRefusal(refusal, from: database) {
            try MerchantRecords.retire(id, at: time, in: $0)
        }
        await expectRefusal(refusal, from: database) {
            try Domains.add(DomainName("shop.example.com"), to: id, at: time, in: $0)
        }
        await expectRefusal(refusal, from: database) {
            try Credentials.insert(SampleHome.credential(1, of: "shop"), in: $0)
        }
    }

    @Test func `domains are added once, listed by name and removed`() async throws {
        let database = try await home.open()
        let shop = try SampleHome.id("shop")
        let one = try DomainName("shop.example.com")
        let other = try DomainName("www.shop.example.com")
        try await database.write { transaction in
            try MerchantRecords.add(SampleHome.merchant("shop"), in: transaction)
            try MerchantRecords.add(SampleHome.merchant("twin"), in: transaction)
            try Domains.add(other, to: shop, at: SampleHome.now, in: transaction)
            try Domains.add(one, to: shop, at: SampleHome.now, in: transaction)
            try Domains.add(one, to: SampleHome.id("twin"), at: SampleHome.now, in: transaction)
        }
        #expect(try await database.read { try Domains.list(of: shop, in: $0) } == [one, other])
        #expect(
            try await database.read { try Domains.merchants(registering: one, in: $0) }
                == [shop, try SampleHome.id("twin")])
        await expectRefusal(.domainExists(one, of: shop), from: database) {
            try Domains.add(one, to: shop, at: SampleHome.now, in: $0)
        }
        try await database.write { try Domains.remove(one, from: shop, in: $0) }
        #expect(try await database.read { try Domains.contains(one, of: shop, in: $0) } == false)
        #expect(try await database.read { try Domains.contains(other, of: shop, in: $0) })
        await expectRefusal(.domainNotRegistered(one, of: shop), from: database) {
            try Domains.remove(one, from: shop, in: $0)
        }
        let nobody = try SampleHome.id("nobody")
        await expectRefusal(.merchantUnknown(nobody), from: database) {
            try Domains.remove(one, from: nobody, in: $0)
        }
        await expectRefusal(.merchantUnknown(nobody), from: database) {
            _ = try Domains.list(of: nobody, in: $0)
        }
    }

    @Test func `a value that is not ours is reported as damage`() async throws {
        let database = try await home.open()
        try await database.write {
            try MerchantRecords.add(SampleHome.merchant("shop"), in: $0)
        }
        _ = try home.sqlite3("UPDATE merchants SET realm = 'No Realm'")
        let refusal = await #expect(throws: RegistryError.self) {
            try await database.read { try MerchantRecords.list(in: $0) }
        }
        #expect(refusal?.code == "registry.damaged")
        #expect(refusal?.cause is MerchantsError)
    }
}
