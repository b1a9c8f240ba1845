import Glibc
import TestSupport
import Testing

/// A reverse proxy of another make that runs with README.md's own configuration.
final class ReverseProxy: Sendable, CustomTestStringConvertible {
    /// The configurations' languages in README.md, and the programs that read them.
    enum Make: String, Sendable, CaseIterable {
        case nginx
        case caddyfile
        case haproxy

        var program: String? {
            let name = self == .caddyfile ? "caddy" : rawValue
            return ["/usr/sbin/\(name)", "/usr/bin/\(name)"].first { access($0, X_OK) == 0 }
        }
    }

    static let areInstalled = Make.allCases.allSatisfy { $0.program != nil }

    let make: Make
    private let port = FreePort.any()
    private let process: BackgroundProcess
    private let certificate: ServerCertificate

    var testDescription: String { make.rawValue }
    var errors: String { process.errors }

    /// Starts it before a service on `upstream`, and a second one that is down; `isUp` waits for it.
    ///
    /// Nothing but addresses, the certificate's place and the number of services differs from README.md.
    init(
        _ make: Make, before upstream: String, certificate: ServerCertificate,
        in folder: TemporaryFolder
    ) throws {
        self.make = make
        self.certificate = certificate
        let dead = "127.0.0.1:\(FreePort.any())"
        let file = folder.file(make.rawValue)
        var text = try Readme.block(make.rawValue)
        func change(_ old: String, to new: String) throws {
            let found = text.ranges(of: old)
            try #require(found.count == 1, "\(make): \(found.count) times \(old)")
            text.replace(old, with: new)
        }
        let arguments: [String]
        switch make {
        case .nginx:
            try change("listen 443 ssl", to: "listen 127.0.0.1:\(port) ssl")
            try change("/etc/ssl/purser/fullchain.pem", to: certificate.path)
            try change("/etc/ssl/purser/key.pem", to: certificate.keyPath)
            try change("127.0.0.1:8765 max_fails", to: "\(upstream) max_fails")
            try change("    keepalive 32;", to: "    server \(dead);\n    keepalive 32;")
            let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
                .map { "\($0)_temp_path \(folder.file($0));" }.joined(separator: " ")
            text = """
                daemon off; master_process off; error_log stderr; pid \(folder.file("pid"));
                events {}
                http { access_log off; \(temporary)
                \(text)
                }
                """
            arguments = ["-e", "stderr", "-c", file]
        case .caddyfile:
            try change(
                "pay.example.com, shop.example.com {",
                to: "pay.example.com:\(port), shop.example.com:\(port) {")
            try change("/etc/ssl/purser/fullchain.pem", to: certificate.path)
            try change("/etc/ssl/purser/key.pem", to: certificate.keyPath)
            try change("127.0.0.1:8765", to: "\(dead) \(upstream)")
            text = "{\n    admin off\n    auto_https off\n}\n" + text
            arguments = ["run", "--adapter", "caddyfile", "--config", file]
        case .haproxy:
            folder.write("both.pem", certificate.pem + certificate.keyPEM)
            try change("bind :443", to: "bind 127.0.0.1:\(port)")
            try change("/etc/ssl/purser/both.pem", to: folder.file("both.pem"))
            try change(
                "    server one 127.0.0.1:8765",
                to: "    server two \(dead)\n    server one \(upstream)")
            text = "global\n    maxconn 100\n" + text
            arguments = ["-db", "-f", file]
        }
        folder.write(make.rawValue, Array((text + "\n").utf8))
        var environment = TestHome.environment
        for name in ["HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"] { environment[name] = folder.path }
        process = try BackgroundProcess(
            make.program ?? make.rawValue, arguments, in: folder.path, name: "\(make)",
            environment: environment)
    }

    /// Whether it listens; waits for that.
    func isUp() async throws -> Bool {
        try await BackgroundProcess.wait(seconds: 20) {
            FreePort.answers(port) || process.ending != nil
        } && process.ending == nil
    }

    /// Asks through it with `curl`, from `source`, an address of this machine.
    func ask(
        _ path: String, host: String = "pay.example.com", from source: String = "127.0.0.1",
        token: String? = nil, headers: [String] = [], body: [UInt8]? = nil
    ) async throws -> HTTPReply {
        let bearer = token.map { ["Authorization: Bearer \($0)"] } ?? []
        let json = body == nil ? [] : ["Content-Type: application/json", "Expect:"]
        return try await HTTPReply.asking(
            [
                "--cacert", certificate.path, "--interface", source, "--path-as-is",
                "--connect-to", "\(host):443:127.0.0.1:\(port)", "https://\(host)\(path)",
            ] + (bearer + json + headers).flatMap { ["-H", $0] }, body: body)
    }
}

/// README.md, whose examples are run.
enum Readme {
    /// The one fenced block of this language.
    static func block(_ language: String) throws -> String {
        let readme = try ForeignProcess.run("cat", ["\(Binaries.root)/README.md"]).text
        let parts = readme.split(separator: "\n```\(language)\n", omittingEmptySubsequences: false)
        try #require(parts.count == 2, "\(parts.count - 1) blocks of \(language)")
        let end = try #require(parts[1].firstRange(of: "\n```"))
        return String(parts[1][..<end.lowerBound])
    }
}
