import Glibc
import PKI
import TestSupport

/// A home of `purser` with its key file, in a folder that goes away with the test.
final class TestHome: Sendable {
    let folder = TemporaryFolder()
    /// The home itself.
    let path: String
    /// The key file, outside the home.
    let keyFile: String

    /// Makes the home, unless `founded` is false; at `place` instead of in the folder, for homes on
    /// a disk of their own.
    init(founded: Bool = true, at place: String? = nil) async throws {
        path = place ?? folder.file("home")
        keyFile = folder.file("master.key")
        guard founded else { return }
        // Where `.ci/watched` looks on, the key file is one that it knows.
        if let seed = getenv("PURSER_TEST_CANARY").map({ String(cString: $0) }) {
            folder.write("master.key", SHA256.hash(Array(seed.utf8)))
        }
        try await must("init")
    }

    /// The environment of every command: this process's, without what would set `purser` up, or
    /// send it or `curl` through a proxy.
    static let environment: [String: String] = {
        var variables: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            if let sign = text.firstIndex(of: "=") {
                variables[String(text[..<sign])] = String(text[text.index(after: sign)...])
            }
            next += 1
        }
        // LeakSanitizer looks at a process as a debugger does, which `purser` denies to its own user.
        variables["ASAN_OPTIONS"]?.append(":detect_leaks=0")
        return variables.filter { name, _ in
            !name.hasPrefix("PURSER_") && !name.hasPrefix("NOTIFY_") && name != "WATCHDOG_USEC"
                && name != "CREDENTIALS_DIRECTORY" && !name.lowercased().hasSuffix("_proxy")
        }
    }()

    /// Writes the home's `purser.json5`.
    func configure(_ settings: String) {
        folder.write("home/purser.json5", Array(settings.utf8))
    }

    /// The flags that name this home and its key.
    var flags: [String] { ["--home", path, "--master-key-file", keyFile] }

    /// Runs a command on this home to its end.
    func run(
        _ arguments: [String], input: [UInt8] = [], environment: [String: String] = environment
    ) async throws -> ForeignProcess.Result {
        try await ForeignProcess.runBeside(
            Binaries.purser, flags + arguments, input: input, environment: environment)
    }

    /// Runs a command on this home to its end.
    func run(_ arguments: String..., input: [UInt8] = []) async throws -> ForeignProcess.Result {
        try await run(arguments, input: input)
    }

    /// Runs a command that must succeed, and gives what it printed.
    @discardableResult
    func must(_ arguments: String..., input: [UInt8] = []) async throws -> [UInt8] {
        try await must(arguments, input: input)
    }

    /// Runs a command that must succeed, and gives what it printed.
    @discardableResult
    func must(_ arguments: [String], input: [UInt8] = []) async throws -> [UInt8] {
        let result = try await run(arguments, input: input)
        guard result.status == 0 else {
            throw Failure("purser \(arguments.joined(separator: " "))", result)
        }
        return result.output
    }

    /// Runs a command that must succeed, with `--json`.
    func json(_ arguments: String..., input: [UInt8] = []) async throws -> JSON {
        try JSON(try await must(arguments + ["--json"], input: input))
    }

    /// Runs a command with `--json` that must fail, and gives its status and its error's code.
    func refusal(
        _ arguments: String..., input: [UInt8] = []
    ) async throws -> (status: Int32, code: String?) {
        let result = try await run(arguments + ["--json"], input: input)
        let error = (try? JSON(result.output)["error"]) ?? .null
        return (result.status, error["code"].text)
    }
}

extension TestHome {
    /// A new API token of a role.
    func token(_ role: String, _ more: String...) async throws -> String {
        let made = try JSON(
            try await must(["api-token", "create", "--role", role, "--json"] + more))
        return made["token"].text ?? ""
    }
}
