import Database
import Merchants
import Registry
import Testing

@Suite struct ServingSnapshotTests {
    let home = SampleHome()

    @Test func `a snapshot holds what sessions need and nothing else`() async throws {
        let database = try await home.open()
        let lab = try SampleHome.environment("lab")
        let domain = try DomainName("shop.example.com")
        let active = try SampleHome.credential(1, of: "shop", state: .active)
        let retiring = try SampleHome.credential(2, of: "shop", state: .retiring)
        try await database.write { transaction in
            try Environments.add(lab, in: transaction)
            for name in ["shop", "bare", "gone"] {
                try MerchantRecords.add(SampleHome.merchant(name), in: transaction)
            }
            try Domains.add(domain, to: SampleHome.id("shop"), at: SampleHome.now, in: transaction)
            try Domains.add(domain, to: SampleHome.id("gone"), at: SampleHome.now, in: transaction)
            for credential in [
                retiring, active, try SampleHome.credential(3, of: "shop"),
                try SampleHome.credential(4, of: "shop", state: .active, custody: .provider),
                try SampleHome.credential(5, of: "shop", kind: .paymentProcessing, state: .active),
                try SampleHome.credential(6, of: "shop", state: .retired),
                try SampleHome.credential(7, of: "gone", state: .active),
            ] {
                try Credentials.insert(credential, in: transaction)
            }
            // The longest certificate is served.
            try Credentials.add(
                SampleHome.certificate(0x11, days: 900), to: active.id, at: SampleHome.now,
                in: transaction)
            try MerchantRecords.retire(SampleHome.id("gone"), at: SampleHome.now, in: transaction)
        }
        let snapshot = try await database.read { try ServingSnapshot(in: $0) }
        #expect(snapshot.environments == GatewayEnvironment.builtIn + [lab])
        #expect(
            snapshot.merchants.map(\.merchant)
                == [try SampleHome.merchant("bare"), try SampleHome.merchant("shop")])
        #expect(snapshot.merchants[0].domains == [] && snapshot.merchants[0].identities == [])
        let shop = snapshot.merchants[1]
        #expect(shop.domains == [domain])
        #expect(shop.identities.map(\.id) == [active.id, retiring.id])
        #expect(shop.identities.map(\.state) == [.active, .retiring])
        #expect(shop.identities[0].certificate == SampleHome.certificate(0x11, days: 900))
        #expect(shop.identities[0].publicKeyHash == active.publicKeyHash)
    }
}
