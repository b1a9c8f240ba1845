import Glibc
import PKI
import Testing

@Suite struct LibraryMemoryTests {
    @Test func `once OpenSSL has been used it is too late`() async {
        await #expect(processExitsWith: .exitCode(42)) {
            _ = try PrivateKey.generate(.ecP256)
            exit(LibraryMemory.wipeWhenFreed() ? 1 : 42)
        }
    }

    @Test func `OpenSSL works with memory that is wiped when freed`() async {
        // In a process of its own: OpenSSL must not have been used before.
        await #expect(processExitsWith: .exitCode(42)) {
            guard LibraryMemory.wipeWhenFreed() else { exit(1) }
            let key = try PrivateKey.generate(.rsa2048)
            let again = try PrivateKey(pem: key.pkcs8PEM())
            let request = try CertificateSigningRequest.make(
                subject: .init(commonName: "x"), key: again)
            guard request.verifySignature() else { exit(2) }
            exit(42)
        }
    }
}
