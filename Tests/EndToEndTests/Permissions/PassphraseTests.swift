import TestSupport
import Testing

/// Homes that a passphrase opens.
struct PassphraseTests {
    private static let merchant = "merchant.com.example.shop"
    private static let passphrase = "correct horse \u{e9} battery"

    private func file(_ home: TestHome, _ name: String, _ text: String) -> String {
        home.folder.write(name, Array(text.utf8))
    }

    private func request(_ home: TestHome, with file: String) async throws -> Int32 {
        try await purser(
            ["--home", home.path, "--passphrase-file", file]
                + ["certificate", "request", Self.merchant, "payment-processing"]
        ).status
    }

    @Test func `one line end at the end of the file is no part of the passphrase`() async throws {
        let home = try await TestHome(founded: false)
        let flags = ["--home", home.path]
        let made = try await purser(
            flags + ["init", "--passphrase-file", file(home, "made", Self.passphrase + "\r\n")])
        #expect(made.status == 0, "\(made.errorText)")
        #expect(try await purser(flags + ["merchant", "add", Self.merchant]).status == 0)

        let same = [Self.passphrase, Self.passphrase + "\n", Self.passphrase + "\r\n"]
        let others = [
            Self.passphrase + "\n\n", Self.passphrase + " ", Self.passphrase + "\r",
            String(Self.passphrase.dropLast()), "wrong",
        ]
        for (index, text) in same.enumerated() {
            #expect(try await request(home, with: file(home, "same\(index)", text)) == 0)
        }
        let before = try await Tree.state(of: home.path)
        for (index, text) in others.enumerated() {
            #expect(try await request(home, with: file(home, "other\(index)", text)) == 77)
        }
        #expect(try await request(home, with: file(home, "empty", "\n")) == 78)
        #expect(try await request(home, with: home.folder.file("absent")) == 66)
        #expect(try await Tree.state(of: home.path) == before)
    }

    @Test func `on a terminal the passphrase is asked for and not shown`() async throws {
        let home = try await TestHome(founded: false)
        let secret = Self.passphrase
        let made = try await terminal(home, [secret, secret], ["init"])
        #expect(made.status == 0, "\(made.text)")
        try await tool(Binaries.purser, ["--home", home.path, "merchant", "add", Self.merchant])
        let request = ["certificate", "request", Self.merchant, "payment-processing"]
        let right = try await terminal(home, [secret], request)
        #expect(right.status == 0)
        #expect(right.text.contains("BEGIN CERTIFICATE REQUEST"))
        let wrong = try await terminal(home, ["not it"], request)
        #expect(wrong.status == 77)
        for seen in [made, right] {
            #expect(!Tree.contains(seen.output, Array(secret.utf8)))
        }
        // Standard output and error in files: the terminal is asked all the same.
        let aside = ["sh", "-c", "exec \"$@\" > \"$0\" 2>&1", home.folder.file("aside")]
        let beside = try await terminal(home, [secret], request, launcher: aside)
        #expect(beside.status == 0 && beside.text == "Passphrase: \r\n")
        #expect(keyHash(ofCSR: home.folder.read("aside")) != nil)
    }

    @Test func `a recovery key is taken where a passphrase is asked for`() async throws {
        let home = try await TestHome(founded: false)
        let made = try await terminal(
            home, [Self.passphrase, Self.passphrase], ["init", "--recovery-key", "--json"])
        let line = made.text.split(separator: "\r\n").last ?? ""
        let key = try JSON(Array(line.utf8))["recoveryKey"].text ?? ""
        #expect(key.count == 69, "\(made.text)")
        try await tool(Binaries.purser, ["--home", home.path, "merchant", "add", Self.merchant])
        let request = ["certificate", "request", Self.merchant, "payment-processing"]
        let slip = (key.hasPrefix("A") ? "B" : "A") + key.dropFirst()
        for (typed, status) in [
            (key, Int32(0)), (key.lowercased().replacing("-", with: " "), 0), (Self.passphrase, 0),
            (slip, 77),
        ] {
            let answer = try await terminal(home, [typed], request)
            #expect(answer.status == status, "\(answer.text)")
            #expect(answer.text.hasPrefix("Passphrase or recovery key: "))
            if typed == slip {
                #expect(answer.text.contains("neither the passphrase nor the recovery key"))
                #expect(!answer.text.contains("passphrase file"))
            }
            #expect(!answer.text.contains(typed))
        }
        // Where a passphrase opens nothing, a slip is told as what it is.
        let listed = try JSON.lines(
            await tool(Binaries.purser, ["--home", home.path, "unlocker", "list", "--json"]).output)
        let passphrase = listed[0].elements.first { $0["kind"] == "passphrase" }?["id"].text ?? ""
        let removed = try await terminal(home, [key], ["unlocker", "remove", passphrase])
        #expect(removed.status == 0, "\(removed.text)")
        let told = try await terminal(home, [slip], request)
        #expect(told.status == 65 && told.text.contains("its checksum does not fit"))
        #expect(try await terminal(home, [key], request).status == 0)
    }

    @Test func `two different answers make no home`() async throws {
        let home = try await TestHome(founded: false)
        let refused = try await terminal(home, ["one", "two"], ["init"])
        #expect(refused.status != 0)
        #expect(try await Tree.matches(home.folder.path, "-name", "home") == [])
    }

    private func terminal(
        _ home: TestHome, _ answers: [String], _ command: [String], launcher: [String] = []
    ) async throws -> ForeignProcess.Result {
        let peer = "\(Binaries.root)/Tests/EndToEndTests/Permissions/Peers/terminal.py"
        return try await ForeignProcess.runBeside(
            "python3",
            [peer] + answers + ["--"] + launcher + [Binaries.purser, "--home", home.path] + command,
            environment: TestHome.environment)
    }
}
