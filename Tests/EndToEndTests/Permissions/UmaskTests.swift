import TestSupport
import Testing

/// All folders are 0700 and all files 0600, whatever the umask.
struct UmaskTests {
    @Test(arguments: ["000", "077", "277", "777"])
    func `every file and folder is closed whatever the umask`(umask: String) async throws {
        let home = try await TestHome(founded: false)
        let issuer = try TestIssuer()
        let merchant = "merchant.com.example.shop"
        let out = home.folder.file("shop.csr")
        func run(_ words: [String]) async throws {
            try await tool(
                "sh",
                ["-c", "umask \(umask); exec \"$@\"", "sh", Binaries.purser] + home.flags + words)
        }
        func run(_ words: String...) async throws { try await run(words) }
        try await run("init")
        try await run(
            ["environment", "add", "lab", "--gateway", "https://localhost:1"]
                + issuer.anchorFlags(home))
        try await run("merchant", "add", merchant, "--environment", "lab")
        try await run("certificate", "request", merchant, "merchant-identity", "--out", out)
        let certificate = try issuer.certify(
            home.folder.read("shop.csr"), merchant, "merchant-identity")
        let file = home.folder.write("shop.cer", certificate)
        try await run("certificate", "import", merchant, file)
        let id = try await home.json("certificate", "list")[0]["id"].text ?? ""
        try await run("certificate", "activate", id, "--without-rehearsal")
        let password = home.folder.write("password", Array("a password".utf8))
        let bundle = home.folder.file("shop.p12")
        try await run("certificate", "export", id, "--password-file", password, "--out", bundle)

        let (backup, newKey) = (home.folder.file("backup.tar"), home.folder.file("new.key"))
        try await run("unlocker", "add", "--new-key-file", newKey)
        try await run("master-key", "rotate")
        try await run("backup", backup)
        let other = try await TestHome(founded: false)
        try await tool("cp", [home.keyFile, other.keyFile])
        try await tool(
            "sh",
            ["-c", "umask \(umask); exec \"$@\"", "sh", Binaries.purser] + other.flags
                + ["restore", backup])

        #expect(try await open(home.path) == [])
        #expect(try await open(other.path) == [])
        let files = [home.keyFile, out, bundle, backup, newKey]
        let modes = try await tool("stat", ["-c", "%a"] + files).text
        #expect(modes == String(repeating: "600\n", count: files.count))
    }

    @Test func `so are the files that SQLite makes while a service runs`() async throws {
        let home = try await TestHome()
        let service = try await RunningService(
            home, launcher: ["sh", "-c", "umask 000; exec \"$@\"", "sh"])
        try await home.must("merchant", "add", "merchant.com.example.shop")
        let names = try await Tree.matches(home.path, "-name", "purser.db-*")
        #expect(names.sorted() == ["\(home.path)/purser.db-shm", "\(home.path)/purser.db-wal"])
        #expect(try await open(home.path) == [])
        #expect(try await service.stop() == 0)
    }

    /// What is neither a file of 0600 nor a folder of 0700.
    private func open(_ path: String) async throws -> [String] {
        try await Tree.matches(
            path, "!", "(", "-type", "f", "-perm", "600", "-o", "-type", "d", "-perm", "700", ")")
    }
}
