import Files
import Glibc
import Secrets
import TestSupport
import Testing

/// Pipes in the place of files: `<(…)`, `/dev/stdin`, and those that keep one waiting.
@Suite(.timeLimit(.minutes(2))) struct PipeTests {
    private let folder = TemporaryFolder()
    private let path: String
    private static let short = PipePatience(opening: .seconds(1), reading: .seconds(2))

    init() throws {
        path = folder.file("pipe")
        try #require(mkfifo(path, 0o600) == 0)
    }

    private func writer(_ script: String) throws -> BackgroundProcess {
        try BackgroundProcess(
            "sh", ["-c", script.replacing(">pipe", with: ">\(path)")], in: folder.path)
    }

    @Test func `a pipe is no file where none is expected`() {
        #expect(throws: FileError.notAFile(path)) { try InputFile.read(path, limit: 10) }
        #expect(throws: FileError.notAFile(path)) {
            try InputFile.readSecret(path, limit: 10)
        }
        #expect(throws: FileError.notAFile(path)) {
            try InputFile.readIfPresent(path, limit: 10)
        }
    }

    @Test func `a pipe that nobody writes into is given up`() {
        #expect(throws: FileError.silentPipe(path, seconds: 1)) {
            try InputFile.read(path, limit: 10, pipe: Self.short)
        }
    }

    @Test func `a pipe whose writer stays silent is given up, later`() throws {
        let writer = try writer("exec sleep 60 >pipe")
        defer { writer.signal(SIGKILL) }
        let start = ContinuousClock.now
        #expect(throws: FileError.silentPipe(path, seconds: 2)) {
            try InputFile.read(path, limit: 10, pipe: Self.short)
        }
        #expect(ContinuousClock.now - start >= .seconds(2))
    }

    @Test func `a pipe that drips is given up as well`() throws {
        let writer = try writer("(while echo x; do sleep 0.2; done) >pipe")
        defer { writer.signal(SIGKILL) }
        #expect(throws: FileError.silentPipe(path, seconds: 2)) {
            try InputFile.read(path, limit: 1_000, pipe: Self.short)
        }
    }

    @Test func `what is read in pieces may drip, and must not stop`() throws {
        let writer = try writer("(for i in 1 2 3 4 5 6 7; do printf x; sleep 0.5; done) >pipe")
        defer { writer.signal(SIGKILL) }
        let file = try SequentialFile(path, pipe: Self.short)
        #expect(try file.read(4) == Array("xxxx".utf8))
        #expect(try file.read(100) == Array("xxx".utf8))
        #expect(try file.read(1) == [])
        let silent = try self.writer("(printf x; exec sleep 60) >pipe")
        defer { silent.signal(SIGKILL) }
        let other = try SequentialFile(path, pipe: Self.short)
        #expect(throws: FileError.silentPipe(path, seconds: 2)) { try other.read(10) }
        #expect(throws: FileError.notAFile("/dev/zero")) { try SequentialFile("/dev/zero") }
        #expect(throws: FileError.notAFile(folder.path)) { try SequentialFile(folder.path) }
    }

    @Test func `what is written in parts is read whole`() throws {
        let writer = try writer(
            "(printf ab; sleep 0.3; printf cd; sleep 0.3; printf ef) >pipe")
        defer { writer.signal(SIGKILL) }
        #expect(try InputFile.read(path, limit: 6, pipe: .forPeople) == Array("abcdef".utf8))
    }

    @Test func `a writer that comes late and thinks for a while is waited for`() throws {
        let writer = try writer("sleep 0.5; (sleep 1; printf late) >pipe")
        defer { writer.signal(SIGKILL) }
        #expect(try InputFile.read(path, limit: 10, pipe: Self.short) == Array("late".utf8))
    }

    @Test func `a writer that writes nothing ends the pipe at once`() throws {
        let writer = try writer(": >pipe")
        defer { writer.signal(SIGKILL) }
        let start = ContinuousClock.now
        #expect(try InputFile.read(path, limit: 10, pipe: .forPeople) == [])
        #expect(ContinuousClock.now - start < .seconds(8))
    }

    @Test func `more than the limit is refused, and so is a secret of others`() throws {
        var writer = try writer("printf 0123456789 >pipe")
        #expect(throws: FileError.tooLarge(path, limit: 9)) {
            try InputFile.read(path, limit: 9, pipe: .forPeople)
        }
        writer.signal(SIGKILL)
        writer = try self.writer("printf 0123456789 >pipe")
        defer { writer.signal(SIGKILL) }
        #expect(try InputFile.readSecret(path, limit: 10, pipe: .forPeople).count == 10)
        chmod(path, 0o644)
        #expect(throws: FileError.exposedPipe(path)) {
            try InputFile.readSecret(path, limit: 10, pipe: .forPeople)
        }
    }

    // As `<(…)` and `|` make it; given by its number.
    @Test func `a pipe without a name is read to its end`() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        let path = "/dev/fd/\(ends[0])"
        #expect(write(ends[1], "secret", 6) == 6)
        // While somebody holds it open, more may come.
        #expect(throws: FileError.silentPipe(path, seconds: 2)) {
            try InputFile.read(path, limit: 10, pipe: Self.short)
        }
        #expect(write(ends[1], "secret", 6) == 6)
        close(ends[1])
        #expect(
            try InputFile.read(path, limit: 10, pipe: Self.short) == Array("secret".utf8))
        #expect(try InputFile.read(path, limit: 10, pipe: Self.short) == [])
    }
}
