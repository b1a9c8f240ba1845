import TestSupport
import Testing

/// The way to a key without Purser, as Keystore/README.md tells it.
@Suite(.twoAtATime) struct RecipeTests {
    /// The recipe, with nothing changed but what its first lines set.
    private func recipe(_ home: TestHome, _ shop: Shop, _ kind: String) async throws -> String {
        let page = try await tool("cat", ["\(Binaries.root)/Keystore/README.md"]).text
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex(of: "```sh"))
        let end = try #require(lines[start...].firstIndex(of: "```"))
        var replaced = 0
        let script = lines[(start + 1)..<end].map { line in
            if line.hasPrefix("home=") {
                replaced += 1
                return "home='\(home.path)' keyfile='\(home.keyFile)'"
            }
            if line.hasPrefix("merchant=") {
                replaced += 1
                return "merchant='\(shop.merchant)' kind='\(kind)'"
            }
            return String(line)
        }
        try #require(replaced == 2)
        return script.joined(separator: "\n")
    }

    @Test(arguments: ["merchant-identity", "payment-processing", "payment-processing-rsa"])
    func `openssl alone opens a stored key`(kind: String) async throws {
        let lab = try await Lab()
        let shop = Shop()
        try await lab.register(shop)
        let certified = try await lab.certify(shop, kind)
        let script = try await recipe(lab.home, shop, kind)
        var opened = try await run("bash", script)
        let other = opened.output
        // The plainest shell there is.
        opened = try await run("dash", script)
        #expect(opened.status == 0 && opened.output == other, "\(opened.errorText)")
        let key = try await tool("openssl", ["pkey", "-pubout"], input: opened.output)
        let certificate = try await tool(
            "openssl", ["x509", "-noout", "-pubkey"], input: opened.output)
        #expect(key.text == certificate.text)
        let hash = try await ForeignProcess.runBeside(
            "sh",
            [
                "-c",
                "openssl pkey -pubout -outform DER | openssl dgst -sha256 -binary | openssl base64 -A",
            ], input: opened.output)
        #expect(hash.text == certified["publicKeyHash"].text)

        // And after the vault key is another one, beside an unlocker more.
        try await lab.home.must("unlocker", "add", "--recovery-key")
        try await lab.home.must("master-key", "rotate")
        opened = try await run("dash", script)
        #expect(opened.status == 0, "\(opened.errorText)")
        let again = try await tool("openssl", ["pkey", "-pubout"], input: opened.output)
        #expect(again.text == key.text)
    }

    /// With nothing of this process's environment.
    private func run(_ shell: String, _ script: String) async throws -> ForeignProcess.Result {
        try await ForeignProcess.runBeside(
            shell, ["-eu", "-c", script], environment: ["PATH": "/usr/bin:/bin"])
    }
}
