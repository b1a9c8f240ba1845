import Glibc
import TestSupport

/// `applesim` while it runs, with its portal asked by `curl`.
final class RunningSimulator: Sendable {
    /// Where it writes its roots and addresses.
    let directory: String
    let process: BackgroundProcess
    /// `https://localhost:port`, each.
    let gateway: String
    let sandboxGateway: String
    let portal: String

    /// Starts it with further flags, and waits until it listens.
    init(_ flags: [String] = [], in folder: TemporaryFolder, name: String = "apple") async throws {
        directory = folder.file(name)
        let process = try BackgroundProcess(
            Binaries.applesim, ["--directory", directory] + flags, in: folder.path, name: name,
            environment: TestHome.environment)
        self.process = process
        let address = "\(name)/address.json"
        let isUp = { access(folder.file(address), R_OK) == 0 }
        _ = try await BackgroundProcess.wait(seconds: 60) { isUp() || process.ending != nil }
        guard isUp() else { throw Failure("applesim did not start: \(process.errors)") }
        let addresses = try JSON(folder.read(address))
        gateway = addresses["gateway"].text ?? ""
        sandboxGateway = addresses["sandboxGateway"].text ?? ""
        portal = addresses["portal"].text ?? ""
    }

    /// What gateways and portal verify to.
    var gatewayCA: String { "\(directory)/gateway-ca.pem" }

    /// The flags that make its roots and intermediates known to `environment add`.
    var anchorFlags: [String] {
        ["identity-root", "identity-intermediate", "processing-root", "processing-intermediate"]
            .flatMap { ["--apple-root", "\(directory)/\($0).pem"] }
    }

    /// Calls the portal; `path` with its query.
    func ask(_ method: String, _ path: String, body: [UInt8]? = nil) async throws -> HTTPReply {
        try await HTTPReply.asking(
            ["--cacert", gatewayCA, "-X", method, portal + path], body: body)
    }

    /// Calls the portal, which must answer with 2xx, and gives the body.
    @discardableResult
    func must(_ method: String, _ path: String, body: [UInt8]? = nil) async throws -> [UInt8] {
        let reply = try await ask(method, path, body: body)
        guard (200..<300).contains(reply.status) else {
            throw Failure("portal \(path): \(reply.status) \(reply.json)")
        }
        return reply.body
    }

    /// Registers a merchant with its domains.
    func register(_ merchant: String, domains: [String]) async throws {
        let list = domains.map { "\"\($0)\"" }.joined(separator: ",")
        try await must(
            "POST", "/merchants",
            body: Array("{\"identifier\":\"\(merchant)\",\"domains\":[\(list)]}".utf8))
    }

    /// The certificate (DER) for a CSR; `extra` such as `&days=5` or `&fault=expired`.
    func certify(
        _ csr: [UInt8], _ merchant: String, _ kind: String, _ extra: String = ""
    ) async throws -> [UInt8] {
        try await must("POST", "/certificates?merchant=\(merchant)&kind=\(kind)\(extra)", body: csr)
    }

    /// Makes the gateways rude: JSON such as `{"acts":{"truncate":"next=1"}}`; `{}` for polite.
    func behave(_ rudeness: String = "{}") async throws {
        try await must("PUT", "/rudeness", body: Array(rudeness.utf8))
    }

    /// The gateways' log, oldest first.
    func log() async throws -> [JSON] {
        try JSON.lines(try await must("GET", "/log"))
    }

    /// The requests in the log, without failed handshakes.
    func requests() async throws -> [JSON] {
        try await log().filter { $0["event"] == "request" }
    }

    /// Empties the log.
    func clearLog() async throws {
        try await must("DELETE", "/log")
    }
}
