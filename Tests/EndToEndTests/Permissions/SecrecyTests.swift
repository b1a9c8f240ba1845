import Merchants
import PKI
import Secrets
import TestSupport
import Testing

@testable import Vault

/// Where a secret must not be: arguments, environments, temporary files, logs, errors, core dumps.
struct SecrecyTests {
    @Test func `no secret is in any file, argument, environment, log or message`() async throws {
        let stage = try await Stage()
        let home = stage.home
        let temporary = home.folder.file("tmp")
        try await tool("mkdir", [temporary])
        let environment = TestHome.environment.merging(["TMPDIR": temporary]) { $1 }
        try await tool("cp", [home.keyFile, home.folder.file("wrong.key")])
        let secrets = try await secrets(of: stage)

        let service = try await RunningService(home, environment: environment)
        for command in [
            ["certificate", "request", Stage.merchant, "merchant-identity", "--json"],
            ["certificate", "import", Stage.merchant, "CERTIFICATE"],
            ["certificate", "import", Stage.merchant, "SECRET"],
            ["certificate", "import", Stage.merchant, "PAIR"],
            ["certificate", "activate", "ISSUED", "--without-rehearsal"],
            ["certificate", "rehearse", "ISSUED"],
            ["certificate", "export", "ISSUED", "--password-file", "SECRET", "--out", "OUT"],
            ["session", Stage.merchant, "shop.example.com"],
            ["certificate", "show", "ISSUED"], ["audit", "list"], ["config", "show"],
            ["unlocker", "add", "--new-passphrase-file", "SECRET"],
            ["unlocker", "add", "--new-passphrase-file", "SECRET"],
            ["unlocker", "remove", "UNLOCKER"], ["unlocker", "list"], ["master-key", "rotate"],
        ] {
            let result = try await home.run(stage.filledIn(command), environment: environment)
            for secret in secrets {
                #expect(!Tree.contains(result.output + result.errors, secret), "\(command)")
            }
        }
        let process = "/proc/\(service.process.pid)"
        let seen = try await tool("cat", ["\(process)/cmdline", "\(process)/environ"]).output
        #expect(try await service.stop() == 0)
        let log = Array((service.process.output + service.process.errors).utf8)
        let vault = try Vault.open(
            HomeLayout(path: home.path), secret: .readKeyFile(home.keyFile))
        #expect(try vault.generation == 2)
        for secret in secrets + [vault.master.homeKey.revealed] + vault.keys.map(\.bytes.revealed) {
            #expect(!Tree.contains(seen + log, secret))
            #expect(try await Tree.files(below: home.path, holding: secret) == [])
            #expect(try await Tree.files(below: temporary, holding: secret) == [])
        }
        #expect(try await Tree.matches(temporary, "-type", "f") == [])
        // The search itself finds what is there.
        let found = try await Tree.files(below: home.folder.path, holding: secrets[0])
        #expect(found.contains(home.keyFile))
    }

    /// The unlocker, the passwords derived from it, and the private keys in each of their forms.
    private func secrets(of stage: Stage) async throws -> [[UInt8]] {
        let home = stage.home
        var secrets = [try await tool("cat", [home.keyFile]).output]
        secrets.append(Array(Base64.encode(secrets[0]).utf8))
        secrets.append(Array("a password for a file".utf8))
        let vault = try Vault.open(
            HomeLayout(path: home.path), secret: .readKeyFile(home.keyFile))
        secrets.append(try vault.currentKey().bytes.revealed)
        for credential in try await HomeExamination(home).credentials
        where credential.custody == .local {
            let slot = KeySlot(credential)
            let pem = try vault.key(in: slot).key.pkcs8PEM()
            // The first line holds the algorithm, which tells nothing.
            secrets.append(Array(pem.revealedText.split(separator: "\n")[2].utf8))
            let der = try #require(try PEMDocument(pem).blocks.first).contents.revealed
            // Inside the number that is an EC key, and the private exponent of an RSA key.
            secrets.append(Array(der[der.count / 3..<der.count / 3 + 16]))
        }
        return secrets
    }

    @Test(.enabled(if: OtherUser.isPossible, OtherUser.reason), arguments: [false, true])
    func `nobody may look into the process, its owner included`(byRoot: Bool) async throws {
        let home = try await TestHome()
        try await home.giveAway()
        try await tool("chown", [OtherUser.id, home.keyFile])
        // As nobody from the start, and by root who steps down: that resets the kernel's flag.
        let service = try await RunningService(
            home, onSocket: false, launcher: byRoot ? [] : OtherUser.launcher,
            program: byRoot ? Binaries.purser : OtherUser.program.value)
        let process = "/proc/\(service.process.pid)"
        let status = try await tool("cat", ["\(process)/status"]).text
        #expect(status.contains("Uid:\t\(OtherUser.id)\t"))
        for file in ["environ", "mem", "maps", "fd"] {
            let owner = try await tool("stat", ["-c", "%u", "\(process)/\(file)"]).text
            #expect(owner == "0\n", "a process that may not be dumped is root's to look at")
        }
        let environment = try await OtherUser.run(["cat", "\(process)/environ"])
        #expect(environment.status != 0)
        let limits = try await tool("cat", ["\(process)/limits"]).text
        let core = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
        #expect(core?.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"])
        #expect(try await service.stop() == 0)
    }
}
