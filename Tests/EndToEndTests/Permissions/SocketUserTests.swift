import Glibc
import TestSupport
import Testing

/// Who may ask by the Unix socket, whatever its mode lets in.
@Suite(.twoAtATime) struct SocketUserTests {
    @Test(
        .enabled(if: OtherUser.isPossible, OtherUser.reason), arguments: [nil, "nobody", "65534"])
    func `another user needs a token or the word of the settings`(user: String?) async throws {
        let home = try await TestHome()
        let token = try await home.json("api-token", "create", "--role", "checkout")
        try await tool("chmod", ["0711", home.folder.path])
        let service = try await RunningService(
            home, environment: ["PURSER_SERVE_SOCKET_USERS": user ?? ""])
        // As a group's socket would be; ours is 0600.
        try #require(chmod(service.socket, 0o666) == 0)
        func ask(_ path: String, _ headers: [String] = [], body: String? = nil) async throws -> JSON
        {
            let upload = body.map { ["-H", "Content-Type: application/json", "-d", $0] } ?? []
            let result = try await OtherUser.run(
                ["curl", "-sS", "--unix-socket", service.socket] + headers.flatMap { ["-H", $0] }
                    + upload + ["http://localhost\(path)"])
            return try JSON(result.output)
        }
        let order = #"{"domain":"shop.example.com"}"#
        let sessions = "/v1/merchant-sessions"
        // The call is heard, and there is no such domain yet.
        let heard = "session.domain-not-registered"
        let reply = try await ask(sessions, body: order)
        let health = try await ask("/healthz")
        if user == nil {
            #expect(reply["code"] == "access.token-required")
            #expect(reply["remedy"].text?.contains("serve.socketUsers") == true)
            #expect(health["code"] == "access.token-required")
        } else {
            #expect(reply["code"].text == heard)
            #expect(health["status"] == "ok")
        }
        let bearer = "Authorization: Bearer \(token["token"].text ?? "")"
        #expect(try await ask(sessions, [bearer], body: order)["code"].text == heard)
        // The service's own user and root need none; here they are one.
        #expect(try await service.session(order, overSocket: true).code == heard)
        #expect(try await service.stop() == 0)
    }
}
