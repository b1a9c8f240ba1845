import Merchants
import TestSupport
import Testing
import Vault

/// The vault key is rotated while services answer and commands work.
@Suite(.twoAtATime) struct RotationTests {
    @Test func `three services fail no request, and no command, while the vault key is rotated`()
        async throws
    {
        let lab = try await Lab()
        let home = lab.home
        let shop = Shop()
        try await lab.open(shop)
        var services: [RunningService] = []
        for number in 0..<3 {
            services.append(try await RunningService(home, name: "service-\(number)"))
        }
        let loads = services.map { Load($0, shop.order) }

        let rotations = Binaries.areSanitized ? 2 : 6
        try await withThrowingTaskGroup(of: Int.self) { group in
            for kind in ["payment-processing", "merchant-identity"] {
                group.addTask {
                    for number in 0..<rotations {
                        // Apple allows two at a time for one merchant.
                        let other = Shop("\(kind)-\(number)")
                        try await lab.register(other)
                        try await lab.certify(other, kind)
                    }
                    return 0
                }
            }
            group.addTask {
                var generation = 0
                for _ in 0..<rotations {
                    let rotated = try await home.json("master-key", "rotate")
                    #expect(
                        rotated["resumed"].bool == false && rotated["unreadable"].elements.isEmpty)
                    generation = rotated["generation"].number ?? 0
                }
                return generation
            }
            var highest = 0
            for try await generation in group { highest = max(highest, generation) }
            #expect(highest == rotations + 1)
        }
        // What was made under the newest vault key comes into use in every service.
        let next = try await lab.certify(shop)
        try await home.must("certificate", "activate", next["id"].text ?? "")
        try await Task.sleep(for: .seconds(1))
        for (service, load) in zip(services, loads) {
            let statuses = try await load.end()
            #expect(statuses.count > 10)
            #expect(statuses.allSatisfy { $0 == 200 }, "\(statuses.filter { $0 != 200 })")
            #expect(try await service.get("/readyz").status == 200)
            #expect(
                service.log.filter { $0["event"] == "error" }.isEmpty, "\(service.process.errors)")
            #expect(try await service.stop() == 0)
        }
        let examination = try await HomeExamination(home)
        #expect(examination.faults == [] && examination.generations == [rotations + 1])
        #expect(examination.credentials.count == 2 * rotations + 2)
        try await home.must("audit", "verify")
    }

    @Test func `each sort of unlocker opens after a rotation by another, and a removed one never`()
        async throws
    {
        let home = try await TestHome()
        let merchant = "merchant.com.example.shop"
        try await home.must("merchant", "add", merchant)
        let passphrase = home.folder.write("passphrase", Array("correct horse\n".utf8))
        let added = try await home.json("unlocker", "add", "--recovery-key")
        let paper = home.folder.write(
            "paper", Array((added["recoveryKey"].text ?? "").lowercased().utf8))
        try await home.must("unlocker", "add", "--new-passphrase-file", passphrase)
        let sorts = [
            ["--master-key-file", home.keyFile], ["--passphrase-file", passphrase],
            ["--recovery-key-file", paper],
        ]
        let request = ["certificate", "request", merchant, "payment-processing"]
        for rotating in sorts {
            let rotated = try await purser(
                ["--home", home.path] + rotating + ["master-key", "rotate"])
            #expect(rotated.status == 0, "\(rotated.errorText)")
            for opening in sorts {
                let opened = try await purser(["--home", home.path] + opening + request)
                #expect(opened.status == 0, "\(opening) after \(rotating): \(opened.errorText)")
            }
        }
        try await tool("cp", ["\(home.path)/master.json", home.folder.file("old")])
        try await home.must("unlocker", "remove", added["id"].text ?? "")
        let refused = try await purser(["--home", home.path, "--json"] + sorts[2] + request)
        #expect(refused.status == 77 && refused.code == "vault.no-such-unlocker")
        try await home.must("master-key", "rotate")
        let examination = try await HomeExamination(home)
        #expect(examination.faults == [] && examination.generations == [5])
        // With an old copy of master.json it opens the home, but no key in it.
        try await tool("cp", [home.folder.file("old"), "\(home.path)/master.json"])
        let layout = HomeLayout(path: home.path)
        let vault = try Vault.open(layout, secret: .readRecoveryKeyFile(paper))
        let slots = try layout.slots(of: MerchantIdentifier(merchant))
        #expect(slots.count == 9)
        for slot in slots {
            let error = #expect(throws: VaultError.self) { try vault.key(in: slot) }
            #expect(error?.code == "vault.key-unreadable")
        }
    }
}
