import Clocks
import PKI

/// A web server of Python's that serves a folder over HTTPS on this machine, for one test.
package final class FileServer: Sendable {
    package let port: Int
    package let folder: TemporaryFolder
    /// The root that its certificate verifies to, PEM.
    package let authority: String
    private let process: BackgroundProcess

    /// Serves `files` by their paths, which begin with a slash.
    package init(_ files: [String: [UInt8]]) async throws {
        folder = TemporaryFolder()
        let pki = try TestPKI(now: SystemClock().now)
        let key = try TestPKI.sharedKey(.ecP256)
        let certificate = try pki.server(
            names: [.dns("localhost"), .address([127, 0, 0, 1])], key: key.publicKey)
        authority = pki.identityRoot.certificate.pem
        let root = folder.file("root")
        for (path, bytes) in files {
            let parent = path.split(separator: "/").dropLast().joined(separator: "/")
            _ = try ForeignProcess.run("mkdir", ["-p", "\(root)/\(parent)"])
            folder.write("root\(path)", bytes)
        }
        process = try BackgroundProcess(
            "python3",
            [
                "-c", Self.program, root,
                folder.write("server.pem", Array(certificate.pem.utf8)),
                folder.write("server.key", try key.pkcs8PEM().revealed),
            ], in: folder.path)
        let process = self.process
        let came = try await BackgroundProcess.wait(seconds: 20) {
            process.output.hasSuffix("\n")
        }
        // `Testing` is not there in release builds, which build this target too.
        let told = process.output.split(separator: "\n").first.flatMap { Int($0) }
        guard came, let told else { throw CannotServe(why: process.errors) }
        port = told
    }

    /// Did not start.
    package struct CannotServe: Error {
        package let why: String
    }

    package var url: String { "https://localhost:\(port)" }

    private static let program = """
        import functools, http.server, os, ssl, sys
        root, certificate, key = sys.argv[1:]
        os.makedirs(root, exist_ok=True)
        handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=root)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        print(server.server_port, flush=True)
        server.serve_forever()
        """
}
