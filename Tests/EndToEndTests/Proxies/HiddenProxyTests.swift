import Glibc
import TestSupport
import Testing

/// A reverse proxy that was put before the service by mistake, with nothing set but `proxy_pass`.
@Suite(.twoAtATime) struct HiddenProxyTests {
    private static let nginx = (["/usr/sbin/nginx", "/usr/bin/nginx"] as [String]).first {
        access($0, X_OK) == 0
    }

    @Test(.enabled(if: nginx != nil, "nginx is not installed"), arguments: [false, true])
    func `nginx's bare proxy_pass opens nothing to the world`(overSocket: Bool) async throws {
        let home = try await TestHome()
        let service = try await RunningService(home)
        let listener = home.folder.file("nginx.sock")
        let upstream = overSocket ? "http://unix:\(service.socket):" : service.url
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(home.folder.file($0));" }.joined(separator: " ")
        home.folder.write(
            "nginx.conf",
            Array(
                """
                daemon off; master_process off; error_log stderr; pid \(home.folder.file("pid"));
                events {}
                http {
                    access_log off; \(temporary)
                    server { listen unix:\(listener); location / { proxy_pass \(upstream); } }
                }
                """.utf8))
        let proxy = try BackgroundProcess(
            Self.nginx ?? "nginx", ["-e", "stderr", "-c", home.folder.file("nginx.conf")],
            in: home.folder.path, name: "nginx")
        _ = try await BackgroundProcess.wait(seconds: 20) {
            access(listener, F_OK) == 0 || proxy.ending != nil
        }
        let through = ["--unix-socket", listener, "-H", "Content-Type: application/json"]
        let order = Array(#"{"domain":"shop.example.com"}"#.utf8)
        let reply = try await HTTPReply.asking(
            through + ["http://shop.example.com/v1/merchant-sessions"], body: order)
        #expect(reply.status == 401 && reply.code == "access.token-required", "\(proxy.errors)")
        #expect(reply.json["remedy"].text?.contains("HTTP/1.1") == true)
        let health = try await HTTPReply.asking(through + ["http://shop.example.com/healthz"])
        #expect(health.status == 200)
        // Asked directly, the same call is heard.
        let direct = try await service.session(
            #"{"domain":"shop.example.com"}"#, overSocket: overSocket)
        #expect(direct.code == "session.domain-not-registered")
        #expect(try await service.stop() == 0)
    }
}
