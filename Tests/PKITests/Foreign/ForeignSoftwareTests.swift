import PKI
import Secrets
import TestSupport
import Testing

@Suite struct ForeignSoftwareTests {
    let folder = TemporaryFolder()

    private func refusals(_ options: [String]) throws -> Set<ForeignSoftware> {
        let key = try TestPKI.sharedKey(.ecP256)
        let file = try ForeignProcess.run(
            "openssl",
            [
                "pkcs12", "-export", "-nocerts", "-passout",
                "file:" + folder.write("password", Array("secret".utf8)), "-inkey",
                folder.write("key.pem", try key.pkcs8PEM().revealed),
            ] + options)
        try #require(file.status == 0, "\(file.errorText)")
        let contents = try ForeignReader(passwords: [SecretBytes(copying: "secret".utf8)])
            .read(SecretBytes(copying: file.output))
        return Set(
            ForeignSoftware.allCases.filter {
                !$0.refusals(of: contents.protections, isBundle: contents.holdsBundle).isEmpty
            })
    }

    @Test func `each program refuses what it does not know`() throws {
        #expect(try refusals([]) == [.keychain, .java8, .go])
        #expect(try refusals(["-keypbe", "PBE-SHA1-3DES", "-macalg", "sha1"]) == [])
        #expect(
            try refusals(["-legacy", "-keypbe", "PBE-SHA1-RC4-128", "-macalg", "sha1"])
                == [.openSSL3, .go, .dotNet])
        #expect(try refusals(["-iter", "400000"]).contains(.dotNet))
        #expect(
            try refusals(["-keypbe", "PBE-SHA1-3DES", "-nomac"]) == [.keychain, .go])
    }
}
