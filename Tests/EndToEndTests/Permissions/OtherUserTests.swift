import TestSupport
import Testing

/// A home, and a user whom it does not belong to.
@Suite(.enabled(if: OtherUser.isPossible, OtherUser.reason))
struct OtherUserTests {
    @Test func `whoever does not own the home is sent to who does`() async throws {
        let stage = try await Stage()
        try await tool("chmod", ["0711", stage.home.folder.path])
        let before = try await Tree.state(of: stage.home.path)
        for command in [
            ["merchant", "list"], ["audit", "verify"], ["check"], ["init"],
            ["merchant", "add", "merchant.com.example.more"],
            ["certificate", "request", Stage.merchant, "payment-processing"],
            ["certificate", "activate", "ISSUED"], ["serve"],
        ] {
            let words = stage.home.flags + stage.filledIn(command)
            let refused = try await OtherUser.purser(words)
            #expect(refused.status == (command == ["check"] ? 3 : 77), "\(command)")
            #expect(refused.hints == ["run: sudo -u root purser …"], "\(command)")
        }
        #expect(try await Tree.state(of: stage.home.path) == before)
    }

    @Test func `the owner's commands work for the owner, with a key file of root's`() async throws {
        let home = try await TestHome()
        try await home.giveAway()
        let merchant = "merchant.com.example.shop"
        let added = try await OtherUser.purser(["--home", home.path, "merchant", "add", merchant])
        #expect(added.status == 0, "\(added.errorText)")
        // The key file is root's alone, so root must ask, or hand it over.
        let request = ["certificate", "request", merchant, "payment-processing"]
        let refused = try await OtherUser.purser(home.flags + request + ["--json"])
        #expect(refused.status == 77 && refused.code == "file.not-permitted")
        try await home.must(request)
        let key = home.folder.file("nobody.key")
        try await tool("install", ["-m", "0600", "-o", OtherUser.id, home.keyFile, key])
        let flags = ["--home", home.path, "--master-key-file", key]
        #expect(try await OtherUser.purser(flags + request).status == 0)
        // A key file of the home's owner serves root as well.
        #expect(try await purser(flags + request).status == 0)
        #expect(try await Tree.matches(home.path, "!", "-user", OtherUser.id) == [])
    }
}
