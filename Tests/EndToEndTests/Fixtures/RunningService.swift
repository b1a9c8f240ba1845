import Glibc
import TestSupport

/// `purser serve` while it runs, on a free port of 127.0.0.1 and on a Unix socket.
final class RunningService: Sendable {
    let process: BackgroundProcess
    /// `http://127.0.0.1:port`.
    let url: String
    /// The Unix socket's path.
    let socket: String

    /// Starts it and waits until it says that it is ready.
    ///
    /// `launcher` is a command that becomes the service in the end, such as `setpriv …`. The socket
    /// may be left out, where the service may not make it.
    init(
        _ home: TestHome, _ flags: [String] = [], name: String = "service",
        environment: [String: String] = [:], onSocket: Bool = true, launcher: [String] = [],
        program: String = Binaries.purser
    ) async throws {
        socket = home.folder.file("\(name).sock")
        let listen =
            ["--listen", "127.0.0.1:0"] + (onSocket ? ["--listen", "unix:\(socket)"] : [])
        let words = launcher + [program] + home.flags + ["serve"] + listen + flags
        let process = try BackgroundProcess(
            words[0], Array(words.dropFirst()), in: home.folder.path, name: name,
            environment: TestHome.environment.merging(environment) { $1 })
        self.process = process
        var port: Int?
        _ = try await BackgroundProcess.wait(seconds: 60) {
            port = Self.port(in: process.errors)
            return port != nil || process.ending != nil
        }
        guard let port else { throw Failure("serve did not start: \(process.errors)") }
        url = "http://127.0.0.1:\(port)"
    }

    /// The port in the log's line that says `ready`.
    private static func port(in log: String) -> Int? {
        let ready = log.split(separator: "\n").compactMap { try? JSON(Array($0.utf8)) }.first {
            $0["event"] == "ready"
        }
        let words = ready?["message"].text?.split { $0 == " " || $0 == "," }
        return words?.first { $0.hasPrefix("127.0.0.1:") }.flatMap {
            Int($0.dropFirst("127.0.0.1:".count))
        }
    }

    /// The lines of its log.
    var log: [JSON] {
        process.errors.split(separator: "\n").compactMap { try? JSON(Array($0.utf8)) }
    }

    /// The log's lines about requests, once there are `count` of them: they are written later.
    func requestLines(_ count: Int) async throws -> [JSON] {
        var lines: [JSON] = []
        _ = try await BackgroundProcess.wait(seconds: 20) {
            lines = log.filter { $0["event"] == "request" }
            return lines.count >= count
        }
        return lines
    }

    /// Asks for `path` over TCP, or over the Unix socket.
    func get(_ path: String, overSocket: Bool = false) async throws -> HTTPReply {
        try await HTTPReply.asking(route(path, overSocket))
    }

    /// Asks for a session with a body such as `{"domain":"shop.example.com"}`.
    func session(_ body: String, overSocket: Bool = false) async throws -> HTTPReply {
        try await HTTPReply.asking(
            ["-H", "Content-Type: application/json"] + route("/v1/merchant-sessions", overSocket),
            body: Array(body.utf8))
    }

    private func route(_ path: String, _ overSocket: Bool) -> [String] {
        overSocket ? ["--unix-socket", socket, "http://localhost\(path)"] : [url + path]
    }

    /// How many file descriptors it has; nil where this user may not look.
    var openFiles: Int? {
        guard let folder = opendir("/proc/\(process.pid)/fd") else { return nil }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return count > 2 ? count - 2 : nil
    }

    /// Asks it to end, and gives its status; nil when it does not end.
    func stop() async throws -> Int32? {
        process.signal(SIGTERM)
        return try await process.wait(seconds: 60)
    }
}
