import Secrets
import TestSupport
import Testing
import Transfers

/// A certificate authority made by the `openssl` command for one test, with what it issues.
final class TestAuthority: Sendable {
    let folder = TemporaryFolder()
    let rootPath: String

    init() throws {
        rootPath = folder.file("root.pem")
        try openssl([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-keyout", folder.file("root.key"), "-out", rootPath, "-days", "2",
            "-subj", "/CN=Root for a test",
        ])
    }

    /// What a pool needs to believe this authority's servers.
    var trust: ServerTrust { .bundle(pem: folder.read("root.pem")) }

    /// Files with a server's certificate for `names` and its key.
    func server(_ names: String = "DNS:localhost,IP:127.0.0.1") throws -> (
        certificate: String, key: String
    ) {
        let name = "server-\(UInt32.random(in: 0 ... .max))"
        try issue(
            name, subject: "/CN=server", extensions: "subjectAltName=\(names)", days: 2, rsa: false)
        return (folder.file("\(name).pem"), folder.file("\(name).key"))
    }

    /// A merchant's identity; one of `days` -1 expired yesterday.
    func client(_ merchant: String, days: Int = 2, rsa: Bool = false) throws -> ClientIdentity {
        let name = "client-\(UInt32.random(in: 0 ... .max))"
        try issue(
            name, subject: "/UID=\(merchant)/CN=Apple Pay Merchant Identity:\(merchant)",
            extensions: "extendedKeyUsage=clientAuth", days: days, rsa: rsa)
        return ClientIdentity(
            certificateChainPEM: folder.read("\(name).pem"),
            privateKeyPEM: SecretBytes(copying: folder.read("\(name).key")))
    }

    private func issue(
        _ name: String, subject: String, extensions: String, days: Int, rsa: Bool
    ) throws {
        let kind = rsa ? ["rsa:2048"] : ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
        try openssl(
            ["req", "-newkey"] + kind + [
                "-nodes", "-keyout", folder.file("\(name).key"), "-out", folder.file("\(name).csr"),
                "-subj", subject,
            ])
        folder.write("\(name).ext", Array(extensions.utf8))
        let serial = UInt64.random(in: 1...UInt64(Int64.max))
        try openssl([
            "x509", "-req", "-in", folder.file("\(name).csr"), "-CA", rootPath,
            "-CAkey", folder.file("root.key"), "-set_serial", "\(serial)", "-days", "\(days)",
            "-extfile", folder.file("\(name).ext"), "-out", folder.file("\(name).pem"),
        ])
    }

    private func openssl(_ arguments: [String]) throws {
        let done = try ForeignProcess.run("openssl", arguments)
        try #require(done.status == 0, "\(done.errorText)")
    }
}
