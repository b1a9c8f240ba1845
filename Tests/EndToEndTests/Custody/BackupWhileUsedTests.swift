import TestSupport
import Testing

/// Backups of a home that others are working on.
struct BackupWhileUsedTests {
    @Test(.timeLimit(.minutes(10)))
    func `a backup taken while eight writers work is a sound home`() async throws {
        let home = try await TestHome()
        let issuer = try TestIssuer()
        try await issuer.introduce(to: home)
        for index in 0..<8 {
            try await home.must(
                "merchant", "add", "merchant.com.example.shop\(index)", "--environment", "lab")
        }
        let rounds = Binaries.areSanitized ? 1 : 3 * Binaries.soak
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<8 {
                group.addTask { try await write(to: home, issuer, index, rounds: rounds) }
            }
            group.addTask {
                for number in 0..<2 * rounds {
                    try await home.must("backup", home.folder.file("backup-\(number).tar"))
                }
            }
            try await group.waitForAll()
        }
        try await home.must("backup", home.folder.file("last.tar"))
        for name in (0..<2 * rounds).map({ "backup-\($0)" }) + ["last"] {
            let restored = try await TestHome(founded: false)
            try await tool("cp", [home.keyFile, restored.keyFile])
            try await restored.must("restore", home.folder.file("\(name).tar"))
            let examination = try await HomeExamination(restored)
            #expect(examination.faults == [], "\(name)")
            // Its environments and roots came along, so that nothing is wrong but the machine.
            try await restored.must("doctor")
            let doctor = try await restored.json("doctor")
            let wrong = doctor["findings"].elements.filter { $0["severity"].text != "ok" }
            #expect(wrong == [], "\(name)")
            // Nothing is left to be settled, and work goes on.
            try await restored.must(
                "certificate", "request", "merchant.com.example.shop0", "payment-processing")
            try await restored.must("audit", "verify")
        }
        let whole = try await home.json("certificate", "list").elements.count
        #expect(whole >= 16 * rounds)
    }

    /// Requests, imports, activates and destroys, as eight people would.
    private func write(
        to home: TestHome, _ issuer: TestIssuer, _ index: Int, rounds: Int
    ) async throws {
        let merchant = "merchant.com.example.shop\(index)"
        for round in 0..<rounds {
            let csr = try await home.must(
                "certificate", "request", merchant, "merchant-identity")
            let certificate = try issuer.certify(csr, merchant, "merchant-identity")
            let id =
                try await home.json(
                    "certificate", "import", merchant, "-", input: certificate)[0]["id"].text ?? ""
            try await home.must("certificate", "activate", id, "--without-rehearsal")
            try await home.must("domain", "add", merchant, "shop\(index)-\(round).example.com")
            let other =
                try await home.json(
                    "certificate", "request", merchant, "payment-processing", "--out",
                    home.folder.file("csr-\(index)-\(round)"))["id"].text ?? ""
            try await home.must("certificate", "abandon", other)
            if round > 0 { try await home.must("certificate", "destroy", other, "--yes") }
        }
    }
}
