import FoundationEssentials

/// `Peers/hook.py`, a receiver of webhooks and heartbeats, running for one test.
package final class HookPeer: Sendable {
    /// One request that came.
    package struct Call: Decodable, Sendable {
        package let path: String
        package let type: String?
        /// Whether the signature is one under the secret.
        package let signed: Bool
        package let signature: String?
        /// What was answered.
        package let status: Int
        package let body: String
    }

    package let port: Int
    private let process: BackgroundProcess
    private let folder: TemporaryFolder

    /// Starts it; throws ``MailPeer/Failed``, ``ForeignProcess/CannotStart``.
    package init(_ certificate: ServerCertificate, secret: String = "") async throws {
        let folder = TemporaryFolder()
        self.folder = folder
        let script = #filePath.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
        let process = try BackgroundProcess(
            "/usr/bin/python3",
            [
                "\(script)/Peers/hook.py", "--certificate", certificate.path, "--key",
                certificate.keyPath, "--log", folder.file("log"), "--status",
                folder.file("status"), "--secret", secret,
            ], in: folder.path)
        self.process = process
        _ = try await BackgroundProcess.wait(seconds: 30) {
            process.output.hasSuffix("\n") || process.ending != nil
        }
        let word = process.output.split(separator: "\n").first?.split(separator: " ").last
        guard let port = word.flatMap({ Int($0) }) else {
            throw MailPeer.Failed(text: process.errors)
        }
        self.port = port
    }

    package func url(_ path: String) -> String { "https://localhost:\(port)\(path)" }

    /// Answers with this status from now on; 0 takes a call and does not say so.
    package func answer(_ status: Int) {
        folder.write("status.new", Array("\(status)".utf8))
        _ = try? ForeignProcess.run("mv", [folder.file("status.new"), folder.file("status")])
    }

    /// What came so far, the first one first.
    package func calls() throws -> [Call] {
        try folder.read("log").split(separator: UInt8(ascii: "\n")).map {
            try JSONDecoder().decode(Call.self, from: Data($0))
        }
    }
}
