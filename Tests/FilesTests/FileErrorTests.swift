import Files
import TestSupport
import Testing

/// Remedies that are to be pasted into a shell, with whatever name a file has.
@Suite struct FileErrorTests {
    private static let names = [
        "/var/lib/purser", "/a b/c", "/it's", "/'", "/''", "/$HOME", "/$(touch /tmp/x)", "/`id`",
        "/a;b", "/a&b", "/a|b", "/a>b", "/a\"b", "/a\\b", "/*", "/?", "/[a]", "/~", "/a#b", "/!",
        "/{a,b}", "/ü", "/a=b", "/a:b,c", "/a\tb", "/'; exit 3; '",
    ]

    /// The words that a shell makes of a remedy's command.
    private func words(_ command: Substring) throws -> [String] {
        let told = try ForeignProcess.run(
            "sh", ["-c", "set -- \(command)\nfor word; do printf '%s\\0' \"$word\"; done"])
        #expect(told.status == 0, "\(told.errorText)")
        return told.text.split(separator: "\0").map(String.init)
    }

    @Test(arguments: names)
    func `a path in a command is one word, and that path`(path: String) throws {
        let exposed = FileError.exposed(path, mode: "0644").remedy
        #expect(try words(exposed.dropFirst("run: ".count)) == ["chmod", "go=", path])
        let absent = FileError.folderNotFound(path).remedy
        #expect(
            try words(absent.dropFirst("make it first: ".count))
                == ["install", "-d", "-m", "0700", path])
        let foreign = FileError.foreignOwner(path, owner: "bob", expected: "alice").remedy
        let tail = ", or run purser as its owner"
        #expect(foreign.hasSuffix(tail))
        #expect(
            try words(foreign.dropLast(tail.count).dropFirst("run: ".count))
                == ["chown", "alice", path])
    }

    @Test func `a user who is known is named, and root's file is not used as root`() {
        for error in FileError.examples {
            #expect(!error.remedy.contains("OWNER") && !error.remedy.contains("USER"))
        }
        #expect(
            FileError.foreignOwner("/a", owner: "root", expected: "alice").remedy
                == "run: chown alice /a")
    }

    @Test func `a plain path stays as it is`() {
        #expect(FileError.exposed("/a/B-2_c.d", mode: "0644").remedy == "run: chmod go= /a/B-2_c.d")
    }
}
