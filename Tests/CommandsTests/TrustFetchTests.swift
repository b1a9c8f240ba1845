import Merchants
import TestSupport
import Testing

@testable import Commands

/// `trust fetch` from a stand-in for Apple's web server.
@Suite(.enabled(if: OutsideVectors.arePresent, "needs ../shared/vectors"))
struct TrustFetchTests {
    private let folder = TemporaryFolder()

    private func run(_ words: String...) async -> Captured {
        let output = CapturingSink()
        let errors = CapturingSink()
        let status = await Commands.run(
            in: capturingContext(
                words, output: output, errors: errors,
                environment: [
                    "PURSER_HOME": folder.file("home"),
                    "PURSER_MASTER_KEY_FILE": folder.file("master.key"),
                ]))
        return Captured(status: status, output: output.bytes, errors: errors.text)
    }

    private func published(without missing: String? = nil) -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for path in AppleRoot.allCases.map(\.path) + AppleRoot.intermediatePaths
        where path != missing {
            files[path] = OutsideVectors.read(
                "apple-roots/\(path.split(separator: "/").last ?? "")")
        }
        return files
    }

    @Test func `what Apple publishes is fetched, trusted and listed`() async throws {
        #expect(await run("init").status == 0)
        let missing = AppleRoot.intermediatePaths[2]
        let server = try await FileServer(published(without: missing))
        let ca = folder.write("ca.pem", Array(server.authority.utf8))
        // Nobody says yet whom to believe.
        let stranger = await run("trust", "fetch", "--from", server.url)
        #expect(stranger.status == 69 && stranger.errors.contains("is not trusted"))
        #expect(await run("trust", "list").text == "")
        let first = await run("trust", "fetch", "--from", server.url, "--ca", ca)
        #expect(first.status == 0, "\(first.errors)")
        #expect(first.text.contains("Apple Root CA - G3 (pinned) added\n"))
        #expect(first.text.contains("(verified) added\n"))
        #expect(first.errors.contains("does not publish \(missing) any more"))
        let again = await run("trust", "fetch", "--from", server.url, "--ca", ca, "--json")
        #expect(again.status == 0 && !again.text.contains("\"changed\":true"))
        let list = await run("trust", "list")
        #expect(list.text.split(separator: "\n").count == 6, "\(list.text)")
        for root in AppleRoot.allCases { #expect(list.text.contains(root.fingerprint)) }
        let doctor = await run("doctor")
        #expect(doctor.status == 0, "\(doctor.text)")
    }

    @Test func `nothing is taken where one of them is another's`() async throws {
        #expect(await run("init").status == 0)
        var files = published()
        files[AppleRoot.g2.path] = files[AppleRoot.g3.path]
        let server = try await FileServer(files)
        let ca = folder.write("ca.pem", Array(server.authority.utf8))
        let result = await run("trust", "fetch", "--from", server.url, "--ca", ca)
        #expect(result.status == 69 && result.text == "")
        #expect(result.errors.contains("is not Apple Root CA - G2"))
        #expect(await run("trust", "list", "--json").text == "[]\n")
    }
}
