import TestSupport
import Testing

@Suite struct ForeignProcessTests {
    @Test func `a foreign program gets its input and gives its output and status`() throws {
        let done = try ForeignProcess.run(
            "sh", ["-c", "cat; echo oops >&2; exit 3"], input: Array("hello".utf8))
        #expect(done.status == 3)
        #expect(done.text == "hello")
        #expect(done.errorText == "oops\n")
    }

    @Test func `a background program is waited for and read`() async throws {
        let folder = TemporaryFolder()
        let running = try BackgroundProcess("sh", ["-c", "echo ready; exit 4"], in: folder.path)
        #expect(try await running.wait(seconds: 5) == 4)
        #expect(running.output == "ready\n")
    }
}
