import FoundationEssentials
import TestSupport
import Testing
import Transfers

/// `Peers/gateway.py`, running for one test.
final class TestGateway: Sendable {
    /// What it logged of one request, or of a handshake that it refused.
    struct Line: Decodable {
        var connection: Int
        var path: String?
        var subject: String?
        var serial: String?
        var resumed: Bool?
        var length: Int?
        var refused: String?
    }

    let port: Int
    private let process: BackgroundProcess
    private let folder: TemporaryFolder

    /// Starts it with a certificate of `authority`'s for `names`.
    ///
    /// It demands client certificates issued by `clients`, or none.
    init(
        _ authority: TestAuthority, names: String = "DNS:localhost,IP:127.0.0.1",
        clients: TestAuthority?, _ arguments: [String] = []
    ) async throws {
        let server = try authority.server(names)
        folder = TemporaryFolder()
        let demand = clients.map { ["--authority", $0.rootPath] } ?? []
        process = try BackgroundProcess(
            "python3",
            [
                peer("gateway.py"), "--certificate", server.certificate, "--key", server.key,
                "--log", folder.file("log"),
            ] + demand + arguments, in: folder.path)
        port = try await portPrinted(by: process)
    }

    func url(_ path: String, host: String = "localhost") -> String {
        "https://\(host):\(port)\(path)"
    }

    /// What it logged so far.
    func lines() throws -> [Line] {
        try folder.read("log").split(separator: UInt8(ascii: "\n")).map {
            try JSONDecoder().decode(Line.self, from: Data($0))
        }
    }
}

/// The path of a script in `Peers`.
func peer(_ name: String, file: String = #filePath) -> String {
    file.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/Peers/\(name)"
}

/// Waits for a peer's line `port N`.
func portPrinted(by process: BackgroundProcess) async throws -> Int {
    let came = try await BackgroundProcess.wait(seconds: 20) { process.output.hasSuffix("\n") }
    try #require(came, "\(process.errors)")
    let word = process.output.split(separator: "\n").first?.split(separator: " ").last
    return try #require(word.flatMap { Int($0) })
}
