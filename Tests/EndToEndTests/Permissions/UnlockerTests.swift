import TestSupport
import Testing

/// What is offered to open a home with, and is not what it was made with.
struct UnlockerTests {
    private static let merchant = "merchant.com.example.shop"
    private static let request = [
        "certificate", "request", merchant, "payment-processing", "--json",
    ]

    private func homeWithMerchant() async throws -> TestHome {
        let home = try await TestHome()
        try await home.must("merchant", "add", Self.merchant)
        return home
    }

    @Test func `a wrong key file is refused, each in its way, and nothing is changed`() async throws
    {
        let home = try await homeWithMerchant()
        let folder = home.folder
        let before = try await Tree.state(of: home.path)
        let random = [UInt8](repeating: 7, count: 33)
        let cases: [(path: String, status: Int32, code: String)] = [
            (folder.write("other.key", Array(random[..<32])), 77, "vault.wrong-key-file"),
            (folder.file("absent.key"), 66, "file.not-found"),
            (folder.write("short.key", Array(random[..<31])), 78, "vault.bad-key-file"),
            (folder.write("long.key", random), 78, "vault.bad-key-file"),
            (folder.write("empty.key", []), 78, "vault.bad-key-file"),
            (folder.path, 65, "file.not-a-file"),
        ]
        for (path, status, code) in cases {
            let refused = try await purser(
                ["--home", home.path, "--master-key-file", path] + Self.request)
            #expect(refused.status == status && refused.code == code, "\(path) \(refused.text)")
        }
        let passphrase = folder.write("passphrase", Array("not this home's".utf8))
        let refused = try await purser(
            ["--home", home.path, "--passphrase-file", passphrase] + Self.request)
        #expect(refused.status == 77 && refused.code == "vault.no-such-unlocker")
        #expect(try await Tree.state(of: home.path) == before)
    }

    @Test(arguments: ["0644", "0640", "0604", "0660"])
    func `a key file that others may use is refused, and the hint mends it`(
        mode: String
    ) async throws {
        let home = try await homeWithMerchant()
        try await tool("chmod", [mode, home.keyFile])
        let refused = try await home.run(Self.request.dropLast())
        #expect(refused.status == 78)
        #expect(refused.hints == ["run: chmod go= \(home.keyFile)"])
        try await tool("chmod", ["go=", home.keyFile])
        try await home.must(Self.request)
    }

    @Test func `an unlocker inside the home is refused however its path is spelled`() async throws {
        let home = try await homeWithMerchant()
        let inside = "\(home.path)/master.key"
        try await tool("cp", [home.keyFile, inside])
        let link = home.folder.file("link.key")
        try await tool("ln", ["-s", inside, link])
        let linkedHome = home.folder.file("elsewhere")
        try await tool("ln", ["-s", home.folder.path, linkedHome])
        for path in [
            inside, "\(home.path)//master.key", "\(home.path)/keys/../master.key", link,
            "\(linkedHome)/home/master.key",
        ] {
            for flag in ["--master-key-file", "--passphrase-file"] {
                let refused = try await purser(["--home", home.path, flag, path] + Self.request)
                #expect(refused.status == 78 && refused.code == "vault.key-file-in-home", "\(path)")
            }
        }
        let other = try await TestHome(founded: false)
        let fresh = try await purser(
            ["--home", other.path, "--json", "init", "--master-key-file", "\(other.path)/key"])
        #expect(fresh.status == 78 && fresh.code == "vault.key-file-in-home")
    }

    @Test func `a key file that would be an unlocker too many is not left behind`() async throws {
        let home = try await TestHome()
        for _ in 0..<31 { try await home.must("unlocker", "add", "--recovery-key") }
        let path = home.folder.file("more.key")
        #expect(
            try await home.refusal("unlocker", "add", "--new-key-file", path)
                == (65, "vault.too-many-unlockers"))
        #expect(try ForeignProcess.run("test", ["-e", path]).status == 1)
        // Nor is a recovery key shown that would open nothing.
        let refused = try await home.run("unlocker", "add", "--recovery-key")
        #expect(refused.status == 65 && refused.output.isEmpty)
    }

    @Test func `without any unlocker and without a terminal the command says so`() async throws {
        let home = try await homeWithMerchant()
        // setsid: no terminal of whoever runs the tests.
        let refused = try await tool(
            "sh",
            [
                "-c", "setsid \"$@\"; echo status $?", "sh", Binaries.purser, "--home", home.path,
                "certificate", "request", Self.merchant, "payment-processing",
            ])
        #expect(refused.text == "status 78\n")
        #expect(
            refused.hints
                == [
                    "give --master-key-file, --passphrase-file or --recovery-key-file FILE"
                ])
    }
}
