/// A self-signed certificate for `localhost` and 127.0.0.1, made now, which is its own root.
package final class ServerCertificate: Sendable {
    private let folder = TemporaryFolder()

    /// The certificate's file, PEM; to be trusted too.
    package var path: String { folder.file("server.pem") }
    /// The key's file, PEM.
    package var keyPath: String { folder.file("server.key") }
    /// What is in ``path``.
    package var pem: [UInt8] { folder.read("server.pem") }
    /// What is in ``keyPath``.
    package var keyPEM: [UInt8] { folder.read("server.key") }

    /// `openssl` does not run.
    package struct Failed: Error {
        package let text: String
    }

    /// - Throws: ``Failed``, ``ForeignProcess/CannotStart``.
    package init(names: String = "DNS:localhost,IP:127.0.0.1") throws {
        let done = try ForeignProcess.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-keyout", folder.file("server.key"), "-out", folder.file("server.pem"), "-days",
                "2", "-subj", "/CN=server for a test", "-addext", "subjectAltName=\(names)",
            ])
        guard done.status == 0 else { throw Failed(text: done.errorText) }
    }
}
