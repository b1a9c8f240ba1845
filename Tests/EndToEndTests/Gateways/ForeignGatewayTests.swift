import Glibc
import TestSupport
import Testing

/// A gateway that is none of ours: `openssl s_server`.
@Suite(.twoAtATime) struct ForeignGatewayTests {
    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func `openssl s_server sees the merchant in the client certificate`(
        version: String
    ) async throws {
        let lab = try await Lab()
        let shop = Shop()
        let folder = lab.home.folder
        let server = try await start(lab, version)
        try await lab.addEnvironment(
            "foreign", gateway: "https://localhost:\(server.port)", realm: "foreign",
            gatewayCA: folder.file("server.pem"))
        try await lab.register(shop, environments: ["foreign"])
        let id = try #require(try await lab.certify(shop)["id"].text)
        try await lab.home.must("certificate", "activate", id, "--without-rehearsal")

        async let asked = lab.home.run("session", shop.merchant, shop.domain)
        let body =
            #"{"merchantIdentifier":"merchant.com.example.shop","displayName":"Example shop.example.com","#
            + #""initiative":"web","initiativeContext":"shop.example.com"}"#
        let process = server.process
        #expect(
            try await BackgroundProcess.wait(seconds: 30) { process.output.contains(body) },
            "\(process.output)\(process.errors)")
        let session = #"{"nonce":"00c0ffee", "signature" : "308006092a"}"#
        let answer = Array(
            "HTTP/1.1 200 OK\r\nContent-Length: \(session.utf8.count)\r\n\r\n\(session)".utf8)
        #expect(write(server.input, answer, answer.count) == answer.count)
        let result = try await asked
        close(server.input)
        #expect(result.status == 0, "\(result.errorText)")
        // Apple's bytes with their blanks, and not one of ours.
        #expect(result.text == session)

        let seen = process.output
        #expect(seen.contains("Client certificate"))
        #expect(seen.contains("subject=UID = \(shop.merchant), "))
        #expect(seen.contains("POST /paymentservices/paymentSession HTTP/1.1\r\n"))
        #expect(seen.contains("Host: localhost:\(server.port)\r\n"))
        #expect(!process.errors.contains("verify error"))
    }

    private struct Server {
        let process: BackgroundProcess
        let port: String
        /// What is written here, s_server sends to its client.
        let input: Int32
    }

    private func start(_ lab: Lab, _ version: String) async throws -> Server {
        let folder = lab.home.folder
        try await tool(
            "openssl",
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout",
                folder.file("server.key"), "-out", folder.file("server.pem"),
            ])
        let roots = try await tool(
            "cat",
            [
                "\(lab.apple.directory)/identity-root.pem",
                "\(lab.apple.directory)/identity-intermediate.pem",
            ])
        folder.write("clients.pem", roots.output)
        let pipe = folder.file("pipe")
        try await tool("mkfifo", [pipe])
        // Open for reading too, so that opening waits for nobody and s_server sees no end.
        let input = open(pipe, O_RDWR | O_CLOEXEC)
        let script = """
            exec openssl s_server -accept 127.0.0.1:0 -naccept 1 \(version) \
                -cert "$0/server.pem" -key "$0/server.key" -CAfile "$0/clients.pem" \
                -Verify 1 -verify_return_error <"$0/pipe"
            """
        let process = try BackgroundProcess(
            "bash", ["-c", script, folder.path], in: folder.path, name: "s_server")
        var port: String?
        _ = try await BackgroundProcess.wait(seconds: 20) {
            let line = process.output.split(separator: "\n").first { $0.hasPrefix("ACCEPT ") }
            port = line?.split(separator: ":").last.map(String.init)
            return port != nil
        }
        return Server(process: process, port: try #require(port), input: input)
    }
}
