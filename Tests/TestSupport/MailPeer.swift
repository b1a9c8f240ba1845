import FoundationEssentials

/// `Peers/mail.py`, a mail server that we did not write, running for one test.
package final class MailPeer: Sendable {
    /// A mail that it took.
    package struct Mail: Decodable, Sendable {
        package let from: String
        package let to: String
        package let tls: Bool
        package let login: String?
        /// The client's port: two mails with the same came over one connection.
        package let peer: Int
        package let message: String
    }

    /// It did not come up.
    package struct Failed: Error {
        package let text: String
    }

    package let port: Int
    private let process: BackgroundProcess
    private let folder: TemporaryFolder

    /// Starts it, with TLS where there is a certificate; `arguments` as the script says.
    ///
    /// - Throws: ``Failed``, ``ForeignProcess/CannotStart``.
    package init(_ certificate: ServerCertificate?, _ arguments: [String] = []) async throws {
        let folder = TemporaryFolder()
        self.folder = folder
        let script = #filePath.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
        let identity = certificate.map { ["--certificate", $0.path, "--key", $0.keyPath] } ?? []
        // Debian's own: python3-aiosmtpd is for no other.
        let process = try BackgroundProcess(
            "/usr/bin/python3",
            [
                "\(script)/Peers/mail.py", "--log", folder.file("log"), "--broken",
                folder.file("broken"),
            ] + identity + arguments, in: folder.path)
        self.process = process
        _ = try await BackgroundProcess.wait(seconds: 30) {
            process.output.hasSuffix("\n") || process.ending != nil
        }
        let word = process.output.split(separator: "\n").first?.split(separator: " ").last
        guard let port = word.flatMap({ Int($0) }) else { throw Failed(text: process.errors) }
        self.port = port
    }

    /// The mails that it took so far, the first one first.
    package func mails() throws -> [Mail] {
        try folder.read("log").split(separator: UInt8(ascii: "\n")).map {
            try JSONDecoder().decode(Mail.self, from: Data($0))
        }
    }

    /// Whether mail to `later…` is deferred.
    package func setDeferring(_ isDeferring: Bool) {
        if isDeferring {
            folder.write("broken", [])
        } else {
            _ = try? ForeignProcess.run("rm", ["-f", folder.file("broken")])
        }
    }
}
