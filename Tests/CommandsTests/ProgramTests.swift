import Glibc
import TestSupport
import Testing

@testable import Commands

/// The program itself, as a process: what no test inside one can show.
@Suite struct ProgramTests {
    /// Built beside the tests.
    static let program: String = {
        var path = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &path, path.count)
        let text = String(decoding: path.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return text.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/purser"
    }()

    /// Runs a shell line in which `$purser` is the program.
    private func shell(_ line: String) throws -> ForeignProcess.Result {
        try ForeignProcess.run(
            "bash", ["--norc", "-c", "purser=\(Self.program); \(line)"],
            environment: ["PATH": "/usr/bin:/bin"])
    }

    @Test func `it says its version`() throws {
        let result = try ForeignProcess.run(Self.program, ["--version"])
        #expect(result.status == 0 && result.errorText == "")
        #expect(result.text == "purser \(Program.version)\n")
    }

    @Test func `a reader that goes away is no failure`() throws {
        let result = try shell("$purser man | head -c 10 >/dev/null; echo ${PIPESTATUS[0]}")
        #expect(result.text == "0\n" && result.errorText == "")
        // Surely gone before the first byte.
        let gone = try shell("$purser man > >(exec <&-; true); sleep 0.1; echo $?")
        #expect(gone.text == "0\n" && gone.errorText == "")
    }

    @Test func `closed streams stay closed and are not taken for files`() throws {
        #expect(try shell("$purser help >&- ; echo $?").text == "0\n")
        #expect(try shell("$purser help <&- >&- 2>&- ; echo $?").text == "0\n")
        let both = try shell("$purser fly 2>&- ; echo $?")
        #expect(both.text == "64\n" && both.errorText == "")
    }

    @Test func `a full disk is status 73 and said on standard error`() throws {
        for arguments in ["help", "help --json"] {
            let result = try shell("$purser \(arguments) >/dev/full")
            #expect(result.status == 73)
            #expect(result.errorText.hasPrefix("purser: error: cannot write standard output: "))
        }
        #expect(try shell("$purser fly 2>/dev/full").status == 64)
    }

    @Test func `an argument that is not UTF-8 is refused`() throws {
        let result = try shell("$purser --home $'/a\\xff' version")
        #expect(result.status == 64)
        #expect(result.errorText.hasPrefix("purser: error: argument 2 is not UTF-8 text\n"))
    }
}
