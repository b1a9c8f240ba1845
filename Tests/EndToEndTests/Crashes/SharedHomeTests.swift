import Glibc
import Merchants
import TestSupport
import Testing

/// Several commands on one home at the same time.
struct SharedHomeTests {
    @Test func `eight at once all succeed, and every key is recorded`() async throws {
        let home = try await TestHome()
        let issuer = try TestIssuer()
        try await issuer.introduce(to: home)
        let merchant = "merchant.com.example.shop"
        try await home.must("merchant", "add", merchant, "--environment", "lab")

        let rounds = 3
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    let kind = worker == 0 ? "merchant-identity" : "payment-processing"
                    for _ in 0..<rounds {
                        let csr = try await home.must("certificate", "request", merchant, kind)
                        let certificate = try issuer.certify(csr, merchant, kind)
                        let imported = try await home.json(
                            "certificate", "import", merchant, "-", input: certificate)
                        #expect(imported[0]["state"] == "issued")
                        let listed = try await home.run("certificate", "list", merchant)
                        #expect(listed.status == 0 && listed.errorText == "")
                    }
                }
            }
            try await group.waitForAll()
        }
        let examination = try await HomeExamination(home)
        #expect(examination.faults == [])
        #expect(examination.credentials.count == 8 * rounds)
        #expect(examination.credentials.allSatisfy { $0.state == .issued })
        // One entry each for the home, the environment and the merchant; two for each key.
        let verified = try await home.json("audit", "verify")
        #expect(verified["entries"].number == 3 + 2 * 8 * rounds)
    }

    @Test(.enabled(if: CrashPoint.isPossible, CrashPoint.reason))
    func `a key that is on its way is nobody's to record`() async throws {
        let stage = try await Stage()
        let home = stage.home
        let words = ["certificate", "request", Stage.merchant, "payment-processing"]
        let slow = try await stopped(words, on: stage) {
            // Right after the key has got its name.
            $0.hasPrefix("fsync") && $0.hasSuffix("/payment-processing")
        }
        let listed = try await home.run("certificate", "list")
        #expect(listed.status == 0 && listed.errorText == "", "it is no lost key yet")
        try await home.must(words)
        slow.signal(SIGCONT)
        #expect(try await slow.wait(seconds: 60) == 0, "\(slow.errors)")

        let examination = try await HomeExamination(home)
        #expect(examination.faults == [])
        let hash = keyHash(ofCSR: Array(slow.output.utf8))
        let own = examination.credentials.first { $0.publicKeyHash == hash }
        #expect(own?.state == .requested)
        // But for the one that the stage was set with.
        let abandoned = examination.credentials.filter { $0.state == .abandoned }
        #expect(abandoned.map { "\($0.id)" } == stage.filledIn(["ABANDONED"]))
    }

    @Test(.enabled(if: CrashPoint.isPossible, CrashPoint.reason))
    func `of two activations at once neither spoils the other's side files`() async throws {
        let stage = try await Stage()
        let home = stage.home
        let activate = ["certificate", "activate", "--without-rehearsal"]
        let slow = try await stopped(activate + stage.filledIn(["ISSUED"]), on: stage) {
            $0.hasPrefix("rename") && $0.hasSuffix(".json")
        }
        // It waits for the first where that holds the write lock.
        let fast = Task { try await home.run(activate + [stage.active]) }
        try await Task.sleep(for: .milliseconds(500))
        slow.signal(SIGCONT)
        #expect(try await slow.wait(seconds: 60) == 0, "\(slow.errors)")
        #expect(try await fast.value.status == 0)
        let examination = try await HomeExamination(home)
        #expect(examination.faults == [])
    }

    @Test(.enabled(if: CrashPoint.isPossible, CrashPoint.reason))
    func `a lost key is told, and recorded although its merchant was retired`() async throws {
        let stage = try await Stage()
        let home = stage.home
        let words = ["certificate", "request", Stage.merchant, "payment-processing"]
        let number = try await place(of: words, on: stage) {
            $0.hasPrefix("write") && $0.hasSuffix("/purser.db-wal")
        }
        let killed = try await home.run(words, environment: CrashPoint().dying(at: number))
        #expect(killed.status == CrashPoint.killed)
        try await home.must("merchant", "retire", Stage.merchant)
        let listed = try await home.run("certificate", "list")
        #expect(
            listed.hints == ["the next command with the master key for this merchant records it"])

        #expect(try await home.run(words).status == 65, "no new key for a retired merchant")
        let examination = try await HomeExamination(home)
        #expect(examination.faults == [])
        #expect(try await home.run("certificate", "list").errorText == "")
    }

    @Test(.enabled(if: CrashPoint.isPossible, CrashPoint.reason))
    func `a rotation under way keeps no service from starting, and lets commands wait`()
        async throws
    {
        let stage = try await Stage()
        let home = stage.home
        let rotating = try await stopped(["master-key", "rotate"], on: stage) {
            $0.hasPrefix("rename") && $0.hasSuffix(".p12")
        }
        let service = try await RunningService(home)
        #expect(try await service.get("/readyz").status == 200)
        let words = ["certificate", "request", Stage.merchant, "payment-processing"]
        let waiting = Task { try await home.run(words) }
        try await Task.sleep(for: .milliseconds(500))
        rotating.signal(SIGCONT)
        #expect(try await rotating.wait(seconds: 60) == 0, "\(rotating.errors)")
        let waited = try await waiting.value
        #expect(waited.status == 0)
        #expect(waited.errorText.contains("a rotation of the vault key is under way"))
        #expect(try await service.get("/readyz").status == 200)
        #expect(try await service.stop() == 0)
        let examination = try await HomeExamination(home)
        #expect(examination.faults == [] && examination.generations == [2])
        #expect(try await !home.run(words).errorText.contains("rotation"))
    }

    @Test(.enabled(if: CrashPoint.isPossible, CrashPoint.reason))
    func `an interrupted rotation is told, in a service's log as its lines are`() async throws {
        let stage = try await Stage()
        let home = stage.home
        let rotate = ["master-key", "rotate"]
        let number = try await place(of: rotate, on: stage) {
            $0.hasPrefix("rename") && $0.hasSuffix(".p12")
        }
        let killed = try await home.run(rotate, environment: CrashPoint().dying(at: number))
        #expect(killed.status == CrashPoint.killed)
        let service = try await RunningService(home)
        #expect(try await service.get("/readyz").status == 200)
        #expect(service.log.contains { $0["code"] == "vault.rotation-unfinished" })
        #expect(service.process.errors.split(separator: "\n").count == service.log.count)
        let refused = try await home.refusal("unlocker", "add", "--recovery-key")
        #expect(refused == (65, "vault.rotation-unfinished"))
        #expect(try await home.json(rotate[0], rotate[1])["resumed"].bool == true)
        #expect(try await service.stop() == 0)
        let examination = try await HomeExamination(home)
        #expect(examination.faults == [] && examination.generations == [2])
    }

    /// Runs a command on `stage` until the first call that `matches`, and leaves it stopped there.
    private func stopped(
        _ words: [String], on stage: Stage, where matches: (String) -> Bool
    ) async throws -> BackgroundProcess {
        let number = try await place(of: words, on: stage, where: matches)
        let process = try BackgroundProcess(
            Binaries.purser, stage.home.flags + words, in: stage.home.folder.path, name: "slow",
            environment: CrashPoint().stopping(at: number))
        let path = "/proc/\(process.pid)/stat"
        let isStopped = try await BackgroundProcess.wait(seconds: 60) {
            let status = try ForeignProcess.run("cat", [path]).text
            return status.split(separator: ")").last?.hasPrefix(" T") == true
        }
        guard isStopped else { throw Failure("\(words) did not stop: \(process.errors)") }
        return process
    }

    /// The number of the first call that `matches`, found on the same home and undone again.
    private func place(
        of words: [String], on stage: Stage, where matches: (String) -> Bool
    ) async throws -> Int {
        let calls = try await CrashPoint().calls(of: words, on: stage.home)
        try await stage.restore()
        guard let index = calls.firstIndex(where: matches) else {
            throw Failure("no such call: \(calls)")
        }
        return index + 1
    }
}
