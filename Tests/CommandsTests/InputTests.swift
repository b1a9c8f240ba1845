import Glibc
import Secrets
import TestSupport
import Testing
import Vault

@testable import Commands

@Suite struct InputTests {
    private let folder = TemporaryFolder()

    @Test(arguments: [
        ("a\n", "a"), ("a\r\n", "a"), ("a\n\n", "a\n"), ("a", "a"), ("a\r", "a\r"), ("\n", ""),
        ("", ""), ("a\nb", "a\nb"), ("\r\n", ""),
    ])
    func `one trailing line end is taken off a password`(given: String, kept: String) {
        let secret = strippingLineEnd(SecretBytes(copying: given.utf8))
        #expect(secret == SecretBytes(copying: kept.utf8))
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
