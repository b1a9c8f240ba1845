import TestSupport
import Testing

/// A home in which something is open to others: refused, with the command that closes it.
struct ExposureTests {
    /// A part of the home, and a mode that lets others in.
    struct Exposure: Sendable, CustomTestStringConvertible {
        let part: String
        let mode: String
        var testDescription: String { "\(part.isEmpty ? "home" : part) \(mode)" }
    }

    static let exposures = [
        Exposure(part: "", mode: "0755"), Exposure(part: "", mode: "0701"),
        Exposure(part: "/purser.db", mode: "0644"), Exposure(part: "/master.json", mode: "0640"),
        Exposure(part: "/keys", mode: "0711"), Exposure(part: "/anchors", mode: "0750"),
        Exposure(part: "/purser.json5", mode: "0644"),
        Exposure(part: "/purser.db-wal", mode: "0644"),
    ]

    @Test func `what others may use is refused, and the hint mends it`() async throws {
        let home = try await TestHome()
        try await tool("touch", ["\(home.path)/purser.json5", "\(home.path)/purser.db-wal"])
        try await tool(
            "chmod", ["0600", "\(home.path)/purser.json5", "\(home.path)/purser.db-wal"])
        try await home.must("merchant", "list")
        for exposure in Self.exposures {
            let path = home.path + exposure.part
            if exposure.part.hasSuffix("-wal") { try await tool("touch", [path]) }
            try await tool("chmod", [exposure.mode, path])
            for command in [["merchant", "list"], ["audit", "verify"], ["environment", "list"]] {
                let refused = try await home.run(command)
                #expect(refused.status == 78, "\(exposure.testDescription) \(command)")
                #expect(refused.hints == ["run: chmod go= \(path)"])
            }
            // A monitoring system hears that the check itself failed.
            #expect(try await home.run("check").status == 3)
            try await tool("chmod", ["go=", path])
            #expect(try await home.run("merchant", "list").status == 0)
        }
    }

    @Test func `a key that others may read is refused where it is opened`() async throws {
        let stage = try await Stage()
        let files = try await Tree.matches(stage.home.path, "-name", "*.p12")
        try await tool("chmod", ["0644"] + files)
        let export = stage.filledIn(
            ["certificate", "export", "ISSUED", "--password-file", "SECRET", "--out", "OUT"])
        let refused = try await stage.home.run(export)
        #expect(refused.status == 78)
        #expect(refused.hints.first?.hasPrefix("run: chmod go= ") == true)
        #expect(stage.home.folder.read("out") == [])
        try await tool("chmod", ["go="] + files)
        try await stage.home.must(export)
    }

    @Test func `a home that is a link or a file is no home`() async throws {
        let home = try await TestHome()
        let link = home.folder.file("link")
        try await tool("ln", ["-s", home.path, link])
        for path in [link, home.keyFile] {
            let refused = try await purser(["--home", path, "--json", "merchant", "list"])
            #expect(refused.status == 78 && refused.code == "file.not-a-folder")
        }
        let absent = try await purser(
            ["--home", home.folder.file("absent"), "--json", "merchant", "list"])
        #expect(absent.status == 66 && absent.code == "vault.no-home")
    }
}
