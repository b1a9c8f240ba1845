import Glibc
import Secrets
import TestSupport
import Testing

@testable import Commands

@Suite struct InputTests {
    private let folder = TemporaryFolder()

    @Test func `a file is read to its end and not beyond its limit`() async throws {
        let path = folder.write("f", Array(repeating: 7, count: 100_000))
        #expect(try await ArgumentFile.read(path, limit: 100_000).count == 100_000)
        await #expect(throws: CommandLineError.inputTooLarge(path, limit: 99_999)) {
            try await ArgumentFile.read(path, limit: 99_999)
        }
    }

    @Test func `what cannot be read says why`() async throws {
        let missing = folder.file("none")
        await #expect(throws: CommandLineError.inputMissing(missing)) {
            try await ArgumentFile.read(missing, limit: 1)
        }
        await #expect(
            throws: CommandLineError.inputUnreadable(folder.path, reason: "Is a directory")
        ) {
            try await ArgumentFile.read(folder.path, limit: 1)
        }
        await #expect(throws: CommandLineError.inputMissing(missing)) {
            try await SecretFile.read(missing)
        }
    }

    @Test func `a secret file comes with the facts by which it is judged`() async throws {
        let path = folder.write("key", Array("correct horse\n".utf8), mode: 0o640)
        chmod(path, 0o640)
        let secret = try await SecretFile.read(path)
        #expect(secret.mode == 0o640 && secret.owner == getuid() && secret.isRegular)
        #expect(secret.bytes == SecretBytes(copying: "correct horse\n".utf8))
        #expect("\(secret)".contains("‹secret›") && !"\(secret)".contains("horse"))
        await #expect(throws: CommandLineError.inputTooLarge(path, limit: 13)) {
            try await SecretFile.read(path, limit: 13)
        }
        #expect(try await SecretFile.read(path, limit: 14).bytes.count == 14)
    }

    @Test(arguments: [
        ("a\n", "a"), ("a\r\n", "a"), ("a\n\n", "a\n"), ("a", "a"), ("a\r", "a\r"), ("\n", ""),
        ("", ""), ("a\nb", "a\nb"), ("\r\n", ""),
    ])
    func `one trailing line end is taken off a password`(given: String, kept: String) {
        let secret = SecretBytes(copying: given.utf8).withoutTrailingLineEnd()
        #expect(secret == SecretBytes(copying: kept.utf8))
    }

    @Test func `an output file is new, private, and gone unless it was finished`() throws {
        let path = folder.file("out")
        do { _ = try NewFile(path) }
        #expect(access(path, F_OK) != 0)
        try NewFile(path).finish([1, 2, 3])
        #expect(folder.read("out") == [1, 2, 3])
        var facts = stat()
        stat(path, &facts)
        #expect(facts.st_mode & 0o777 == 0o600)
        #expect(throws: CommandLineError.outputExists(path)) { try NewFile(path) }
        #expect(folder.read("out") == [1, 2, 3])
        try NewFile(folder.file("key")).finish(SecretBytes(copying: [4, 5]))
        #expect(folder.read("key") == [4, 5])
        symlink("elsewhere", folder.file("link"))
        #expect(throws: CommandLineError.outputExists(folder.file("link"))) {
            try NewFile(folder.file("link"))
        }
        let nowhere = folder.file("none/out")
        #expect(throws: CommandLineError.self) { try NewFile(nowhere) }
    }

    @Test func `a secret is asked for, twice when it is new, or the way without terminal is told`()
        async throws
    {
        func context(_ answers: [String]) -> Context {
            capturingContext(
                [], output: CapturingSink(), errors: CapturingSink(), answers: answers)
        }
        let use = "name a file with --passphrase-file FILE"
        let typed = try await context(["a"]).askSecret("x", question: "X", use: use)
        #expect(typed == SecretBytes(copying: "a".utf8))
        let new = try await context(["a", "a"]).askNewSecret("x", question: "X", use: use)
        #expect(new == typed)
        await #expect(throws: CommandLineError.promptMismatch("x")) {
            try await context(["a", "b"]).askNewSecret("x", question: "X", use: use)
        }
        await #expect(throws: CommandLineError.noTerminal("x", use: use)) {
            try await context([]).askSecret("x", question: "X", use: use)
        }
    }
}
