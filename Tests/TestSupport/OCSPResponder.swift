package import Clocks
import Glibc
package import PKI
import Secrets

/// A real OCSP responder that we did not write: `openssl ocsp` with an index of its own.
///
/// Its answers have the machine's time, so certificates under it are minted around ``now``.
package final class OCSPResponder: Sendable {
    /// What the index says of a certificate; one that is not in it is unknown.
    package enum Entry: Sendable {
        case good
        case revoked(at: Timestamp, reason: String)
    }

    /// The machine's time.
    package static var now: Timestamp { Timestamp(seconds: Int64(time(nil))) }

    package let folder = TemporaryFolder()
    private let arguments: [String]

    /// A responder for what `issuer` has issued, signing itself or with another's key.
    package init(
        for issuer: Certificate, signing: Certificate, with key: PrivateKey
    ) throws {
        let authority = folder.write("issuer.pem", Array(issuer.pem.utf8))
        let signer = folder.write("signer.pem", Array(signing.pem.utf8))
        let secret = try key.pkcs8PEM().withUnsafeBytes { Array($0) }
        arguments = [
            "-index", folder.file("index"), "-CA", authority, "-rsigner", signer,
            "-rkey", folder.write("key.pem", secret),
        ]
        folder.write("index", [])
    }

    /// A responder that signs with the issuer's own key.
    package convenience init(for issuer: TestPKI.Authority) throws {
        try self.init(for: issuer.certificate, signing: issuer.certificate, with: issuer.key)
    }

    /// Makes the index anew.
    package func tell(_ entries: [(Certificate, Entry)]) {
        write(entries.map { ($0.serialNumber, $1) })
    }

    /// Makes the index anew, of one certificate.
    package func tell(serialNumber: String, _ entry: Entry) {
        write([(serialNumber, entry)])
    }

    private func write(_ entries: [(String, Entry)]) {
        let lines = entries.map { serialNumber, entry -> String in
            let state =
                switch entry {
                case .good: "V\t491231235959Z\t"
                case .revoked(let at, let reason):
                    "R\t491231235959Z\t\(short(at)),\(reason)"
                }
            return "\(state)\t\(serialNumber)\tunknown\t/CN=\(serialNumber)\n"
        }
        folder.write("index", Array(lines.joined().utf8))
    }

    /// Answers one request, without a network; `options` are further ones of openssl-ocsp(1ssl).
    package func answer(_ request: [UInt8], _ options: [String] = []) throws -> [UInt8] {
        folder.write("answer", [])
        let asked = folder.write("request", request)
        _ = try ForeignProcess.run(
            "openssl",
            ["ocsp"] + arguments + ["-reqin", asked, "-respout", folder.file("answer")] + options)
        return folder.read("answer")
    }

    /// A responder that serves over plain HTTP until it is dropped.
    package struct Running: Sendable {
        let process: BackgroundProcess
        package let port: Int

        /// Its address, as it stands in certificates.
        package var url: String { "http://127.0.0.1:\(port)/ocsp" }

        /// Ends it and waits until the port is free.
        package func stop() async throws {
            process.signal(SIGKILL)
            _ = try await process.wait(seconds: 5)
        }
    }

    /// Serves what the index says now, on `port` or on a free one of this machine.
    package func serve(
        onPort port: Int = 0, _ options: [String] = []
    ) async throws -> Running {
        let process = try BackgroundProcess(
            "openssl", ["ocsp", "-port", "\(port)"] + arguments + options, in: folder.path)
        var found: Int?
        let mark = "ACCEPT "
        _ = try await BackgroundProcess.wait(seconds: 20) {
            // `ACCEPT [::]:34413 PID=17849`
            let line = process.output.split(separator: "\n").first { $0.hasPrefix(mark) }
            let address = line?.split(separator: " ").dropFirst().first
            found = address?.split(separator: ":").last.flatMap { Int($0) }
            return found != nil && process.output.hasSuffix("\n")
        }
        guard let found else {
            throw ForeignProcess.CannotStart(executable: process.errors, errno: 0)
        }
        return Running(process: process, port: found)
    }

    /// UTCTime, as the index has it.
    private func short(_ moment: Timestamp) -> String {
        String(moment.description.filter(\.isNumber).dropFirst(2)) + "Z"
    }
}

extension TestPKI {
    /// A certificate for signing OCSP answers under `issuer`; `usage` nil leaves its right out.
    package func responder(
        under issuer: Authority, key: PublicKey, usage: String? = OID.ocspSigning,
        from start: Timestamp? = nil, days: Int64 = 30
    ) throws -> Certificate {
        let start = start ?? now.adding(days: -1)
        var template = CertificateTemplate(
            subject: .init(commonName: "Test OCSP Responder"), publicKey: key,
            notBefore: start, notAfter: start.adding(days: days))
        template.keyUsage = [.digitalSignature]
        template.extendedKeyUsage = usage.map { [$0] } ?? []
        return try template.issue(issuer: issuer.certificate, issuerKey: issuer.key)
    }
}
