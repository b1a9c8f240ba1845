import Database
import Merchants
import Registry
import TestSupport
import Testing

@Suite struct EnvironmentTests {
    let home = SampleHome()

    @Test func `Apple's four are there from the start and stay`() async throws {
        let database = try await home.open()
        let found = try await database.read { try Environments.list(in: $0) }
        #expect(found == GatewayEnvironment.builtIn)
        #expect(try home.sqlite3("SELECT count(*) FROM environments").text == "0\n")
        for environment in GatewayEnvironment.builtIn {
            await expectRefusal(.environmentBuiltIn(environment.name), from: database) {
                try Environments.remove(environment.name, in: $0)
            }
            await expectRefusal(.environmentExists(environment.name), from: database) {
                try Environments.add(environment, in: $0)
            }
        }
    }

    @Test func `an operator's environment comes back as it was`() async throws {
        let database = try await home.open()
        let lab = try SampleHome.environment("lab")
        try await database.write { try Environments.add(lab, in: $0) }
        #expect(try await database.read { try Environments.find(lab.name, in: $0) } == lab)
        #expect(
            try await database.read { try Environments.list(in: $0) }
                == GatewayEnvironment.builtIn + [lab])
        await expectRefusal(.environmentExists(lab.name), from: database) {
            try Environments.add(lab, in: $0)
        }
    }

    @Test func `none can join Apple's realm`() async throws {
        let database = try await home.open()
        let sly = try SampleHome.environment("sly", realm: "apple")
        await expectRefusal(.realmReserved(sly.name), from: database) {
            try Environments.add(sly, in: $0)
        }
    }

    @Test func `one in use is not removed, and says by whom`() async throws {
        let database = try await home.open()
        let lab = try SampleHome.environment("lab")
        try await database.write { transaction in
            try Environments.add(lab, in: transaction)
            for name in ["b", "a"] {
                try MerchantRecords.add(
                    SampleHome.merchant(name, realm: lab.realm, environments: [lab.name]),
                    in: transaction)
            }
        }
        let users = [try SampleHome.id("a"), try SampleHome.id("b")]
        await expectRefusal(.environmentInUse(lab.name, by: users), from: database) {
            try Environments.remove(lab.name, in: $0)
        }
    }

    @Test func `retired merchants do not keep it`() async throws {
        let database = try await home.open()
        let lab = try SampleHome.environment("lab")
        let removed = try await database.write { transaction in
            try Environments.add(lab, in: transaction)
            try MerchantRecords.add(
                SampleHome.merchant("a", realm: lab.realm, environments: [lab.name]),
                in: transaction)
            try MerchantRecords.retire(
                SampleHome.id("a"), at: SampleHome.now, in: transaction)
            return try Environments.remove(lab.name, in: transaction)
        }
        #expect(removed == lab)
        let id = try SampleHome.id("a")
        let retired = try await database.read { try MerchantRecords.find(id, in: $0) }
        #expect(retired.environments == [])
        await expectRefusal(.environmentUnknown(lab.name), from: database) {
            try Environments.remove(lab.name, in: $0)
        }
    }

    @Test func `a realm's roots are kept while the realm is used`() async throws {
        let database = try await home.open()
        let first = try SampleHome.environment("lab-1", realm: "lab")
        let second = try SampleHome.environment("lab-2", realm: "lab")
        let root = RealmRoot(
            realm: first.realm, fingerprint: String(repeating: "ab", count: 32),
            subject: "CN=Lab Root")
        try await database.write { transaction in
            try Environments.add(first, in: transaction)
            try Environments.add(second, in: transaction)
            #expect(try RealmRoots.add(root, in: transaction))
            #expect(try RealmRoots.add(root, in: transaction) == false)
        }
        let roots = { @Sendable in
            try await database.read { try RealmRoots.list(of: root.realm, in: $0) }
        }
        #expect(try await roots() == [root])
        try await database.write { try Environments.remove(first.name, in: $0) }
        #expect(try await roots() == [root])
        try await database.write { try Environments.remove(second.name, in: $0) }
        #expect(try await roots() == [])
    }

    @Test func `a proxy is set for an operator's environment and for Apple's, and taken away`()
        async throws
    {
        let database = try await home.open()
        try await database.write { transaction in
            let lab = try SampleHome.environment("lab")
            try Environments.add(lab, in: transaction)
            for name in [lab.name, .production] {
                for proxy in ["http://one:3128", "http://two:3128", nil] {
                    let changed = try Environments.setProxy(proxy, of: name, in: transaction)
                    #expect(changed.proxy == proxy)
                    #expect(try Environments.find(name, in: transaction) == changed)
                    #expect(try Environments.list(in: transaction).contains(changed))
                }
            }
            #expect(throws: RegistryError.self) {
                _ = try Environments.setProxy(
                    nil, of: try EnvironmentName("nowhere"), in: transaction)
            }
        }
    }
}
