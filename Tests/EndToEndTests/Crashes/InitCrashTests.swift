import Glibc
import TestSupport
import Testing

/// `init` killed at every boundary and at random instants: given again, it finishes.
struct InitCrashTests {
    @Test(.enabled(if: CrashPoint.isPossible, CrashPoint.reason))
    func `init killed at any boundary is finished by the same init`() async throws {
        async let usual: Void = killEach(hidesUnnamedFiles: false)
        async let elsewhere: Void = killEach(hidesUnnamedFiles: true)
        _ = try await (usual, elsewhere)
    }

    private func killEach(hidesUnnamedFiles: Bool) async throws {
        let crash = CrashPoint(hidesUnnamedFiles: hidesUnnamedFiles)
        var number = 1
        while true {
            let home = try await TestHome(founded: false)
            let first = try await home.run(["init"], environment: try crash.dying(at: number))
            guard first.status == CrashPoint.killed else {
                #expect(first.status == 0, "\(first.errorText)")
                break
            }
            let place: Comment = "killed at call \(number)"
            try await finish(home, place)
            if !hidesUnnamedFiles {
                // Where the key was to be lies the key, and nothing else.
                let names = try await tool("ls", ["-A", home.folder.path]).output
                #expect(String(decoding: names, as: UTF8.self) == "home\nmaster.key\n", place)
            }
            number += 1
        }
        #expect(number > 30)
    }

    @Test func `init killed at random instants is finished by the same init`() async throws {
        var chance = Chance()
        let duration = try await ContinuousClock().measure {
            _ = try await TestHome()
        }
        for _ in 0..<(Binaries.areSanitized ? 4 : 20 * Binaries.soak) {
            let home = try await TestHome(founded: false)
            let victim = try BackgroundProcess(
                Binaries.purser, home.flags + ["init"], in: home.folder.path,
                environment: TestHome.environment)
            try await Task.sleep(for: duration * chance.fraction(upTo: 1.1))
            victim.signal(SIGKILL)
            _ = try await victim.wait(seconds: 60)
            try await finish(home, chance.comment)
        }
    }

    @Test(.enabled(if: CrashPoint.isPossible, CrashPoint.reason))
    func `a home begun with one key is not finished with another`() async throws {
        let home = try await TestHome(founded: false)
        let calls = try await CrashPoint().calls(of: ["init"], on: TestHome(founded: false))
        let number = try #require(calls.firstIndex { $0.hasSuffix("/purser.db") })
        let environment = try CrashPoint().dying(at: number + 1)
        #expect(try await home.run(["init"], environment: environment).status == CrashPoint.killed)

        let other = home.folder.write("other.key", Array(0..<32))
        let flags = ["--home", home.path, "--json", "init", "--master-key-file"]
        let wrong = try await purser(flags + [other])
        #expect(wrong.status == 77 && wrong.code == "vault.wrong-key-file")
        // Nor is a new one made for it, which would open nothing.
        let absent = try await purser(flags + [home.folder.file("new.key")])
        #expect(absent.status == 66 && absent.code == "file.not-found")
        #expect(access(home.folder.file("new.key"), F_OK) != 0)
        try await finish(home, "after the wrong ones")
    }

    /// The same command again makes a whole home, if it was not made already.
    private func finish(_ home: TestHome, _ place: Comment) async throws {
        let second = try await home.run("init")
        #expect([0, 73].contains(second.status), "\(place) \(second.errorText)")
        let merchant = try await home.run("merchant", "add", "merchant.com.example.first")
        #expect(merchant.status == 0, "\(place) \(merchant.errorText)")
        let key = try await home.run(
            "certificate", "request", "merchant.com.example.first", "payment-processing")
        #expect(key.status == 0, "\(place) \(key.errorText)")
        #expect(try await HomeExamination(home).faults == [], place)
    }
}
