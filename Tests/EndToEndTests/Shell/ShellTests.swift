import TestSupport
import Testing

/// What the built program gives to a shell and to `man`.
@Suite(.twoAtATime) struct ShellTests {
    @Test func `bash completes commands, and merchants from the home`() async throws {
        let home = try await TestHome()
        for name in ["merchant.com.example.one", "merchant.com.example.two"] {
            try await home.must("merchant", "add", name)
        }
        let complete = """
            PATH="$1:$PATH"
            source <(purser completions bash)
            offer() {
                COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
                $(complete -p purser | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
                echo "${COMPREPLY[@]}"
            }
            offer purser cert
            offer purser certificate request ''
            offer purser certificate request merchant.com.example.one pay
            """
        let result = try await ForeignProcess.runBeside(
            "bash",
            [
                "--norc", "-eu", "-c", complete, "bash",
                Binaries.purser.split(separator: "/").dropLast().map { "/\($0)" }.joined(),
            ],
            environment: TestHome.environment.merging(["PURSER_HOME": home.path]) { $1 })
        #expect(result.status == 0 && result.errorText == "", "\(result.errorText)")
        #expect(
            result.text.split(separator: "\n").map(String.init) == [
                "certificate", "merchant.com.example.one merchant.com.example.two",
                "payment-processing payment-processing-rsa",
            ])
    }

    @Test func `the manual page has nothing to lint and names every command that help names`()
        async throws
    {
        let page = try await tool(Binaries.purser, ["man"]).output
        let lint = try await tool("mandoc", ["-T", "lint", "-W", "style"], input: page)
        #expect(lint.text == "" && lint.errorText == "")
        // Bold and underlined letters are overstruck.
        let read = try await tool("mandoc", ["-T", "utf8"], input: page).text
            .replacing(#/.\x08/#, with: "")
        let help = try await tool(Binaries.purser, ["help"]).text
        for command in ["init", "certificate request", "session", "serve", "check"] {
            #expect(help.contains(command) && read.contains(command))
        }
    }
}
