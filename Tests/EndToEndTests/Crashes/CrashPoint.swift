import Glibc
import TestSupport
import Testing

/// A library that ends a program at a call of our choosing: Preload/crash-point.c.
///
/// It is built once, by the clang that Swift brings along. Programs under a sanitizer have functions
/// of their own in its place, so tests with it are enabled on ``isPossible``.
struct CrashPoint: Sendable {
    /// Counts every write, not only the first of a run of writes to one file.
    var countsEveryWrite = Binaries.soak > 1
    /// Pretends that the file system knows no unnamed files, as some do.
    var hidesUnnamedFiles = false

    static let isPossible = !Binaries.areSanitized
    static let reason: Comment = "a sanitizer's functions stand before ours"

    /// How `kill -9` shows in ``ForeignProcess/Result/status``.
    static let killed: Int32 = 128 + SIGKILL

    private static let folder = TemporaryFolder()
    private static let library = Result { () throws -> String in
        let path = folder.file("crash-point.so")
        let source = "\(Binaries.root)/Tests/EndToEndTests/Crashes/Preload/crash-point.c"
        let built = try ForeignProcess.run(
            "clang", ["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", path, source, "-ldl"])
        guard built.status == 0 else { throw Failure("clang", built) }
        return path
    }

    /// The environment of a command that dies when its `number`th call begins.
    func dying(at number: Int) throws -> [String: String] {
        try environment(["CRASH_POINT": "\(number)"])
    }

    /// The environment of a command that stops when its `number`th call begins, until SIGCONT.
    func stopping(at number: Int) throws -> [String: String] {
        try environment(["CRASH_POINT": "\(number)", "CRASH_POINT_STOP": "1"])
    }

    /// Runs a command to its end, and gives the calls it made, each as its name and its paths.
    func calls(
        of command: [String], on home: TestHome
    ) async throws -> [String] {
        let log = home.folder.file("calls-\(UInt64.random(in: .min ... .max))")
        let result = try await home.run(
            command, environment: try environment(["CRASH_POINT_LOG": log]))
        guard result.status == 0 else { throw Failure("\(command)", result) }
        let bytes = try await tool("cat", [log]).output
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private func environment(_ more: [String: String]) throws -> [String: String] {
        var variables = TestHome.environment.merging(more) { $1 }
        variables["LD_PRELOAD"] = try Self.library.get()
        if countsEveryWrite { variables["CRASH_POINT_EVERY"] = "1" }
        if hidesUnnamedFiles { variables["CRASH_POINT_NO_TMPFILE"] = "1" }
        return variables
    }
}
