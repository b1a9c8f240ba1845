import Clocks
import PKI
import TestSupport
import Testing

@Suite struct AttachedCMSTests {
    private let folder = TemporaryFolder()
    private let content = Array("{\"domain\":\"shop.example.com\"}\r\n\0\n".utf8)

    @Test func `content inside a message is given as it was signed, by us and by openssl`() throws {
        let pki = try TestPKI(now: TestTimes.now)
        let key = try TestPKI.sharedKey(.rsa2048)
        let signer = try pki.identity(merchant: "merchant.a", key: key.publicKey)
        let ours = try CMS.signAttached(
            content: content, certificate: signer, chain: [pki.identityIntermediate.certificate],
            key: key, at: pki.now)
        let theirs = try ForeignProcess.run(
            "openssl",
            [
                "cms", "-sign", "-binary", "-nodetach", "-md", "sha1", "-outform", "DER", "-in",
                folder.write("content", content), "-signer",
                folder.write("signer", Array(signer.pem.utf8)), "-inkey",
                folder.write("key", try key.pkcs8PEM().revealed),
            ])
        #expect(theirs.status == 0, "\(theirs.errorText)")
        for message in [ours, theirs.output] {
            let (signed, found) = try CMS.verifyAttached(message)
            #expect(found == content)
            #expect(signed.signer == signer)
            #expect(throws: PKIError.self) { try CMS.verifyDetached(message, content: content) }
            for index in stride(from: 0, to: message.count, by: 7) {
                var changed = message
                changed[index] ^= 1
                if let other = try? CMS.verifyAttached(changed) {
                    // What no signature covers: certificates beside, and how it is wrapped.
                    #expect(other.content == content, "at \(index)")
                }
            }
        }
        let detached = try CMS.signDetached(
            content: content, certificate: signer, chain: [], key: key, at: pki.now)
        #expect(throws: PKIError.self) { try CMS.verifyAttached(detached) }
        let verified = try ForeignProcess.run(
            "openssl",
            [
                "cms", "-verify", "-binary", "-inform", "DER", "-in", folder.write("ours", ours),
                "-CAfile", folder.write("root", Array(pki.identityRoot.certificate.pem.utf8)),
                "-purpose", "any", "-attime", "\(pki.now.seconds)",
            ])
        #expect(verified.status == 0 && verified.output == content, "\(verified.errorText)")
    }
}
