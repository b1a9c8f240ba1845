import PKI
import Problems
import Secrets
import Testing

@Suite struct PKIErrorTests {
    @Test(arguments: PKIError.examples)
    func `every error says what to do, on one line`(_ error: PKIError) {
        #expect(error.code.contains("."))
        #expect(!error.summary.isEmpty && error.summary.count <= 120)
        #expect(!error.summary.hasSuffix(".") && error.summary.first?.isUppercase == false)
        #expect(!error.remedy.isEmpty && error.remedy.count <= 120)
        #expect(!"\(error)\(error.remedy)".contains("-----BEGIN"))
        #expect(!"\(error)".contains("\n"))
    }

    @Test func `codes are not shared`() {
        #expect(Set(PKIError.examples.map(\.code)).count == PKIError.examples.count)
    }

    @Test func `the cause holds OpenSSL's reason and nothing that was read`() {
        let error = #expect(throws: PKIError.self) { try Certificate(der: [0x31, 0x03, 1, 2, 3]) }
        let text = error.map { causeTree(of: $0) } ?? ""
        #expect(text.contains("OpenSSL: wrong tag"))
        #expect(!text.contains("Type="))
    }

    @Test func `one failure does not colour the next`() throws {
        _ = try? Certificate(der: [0x31, 0x03, 1, 2, 3])
        let error = #expect(throws: PKIError.self) {
            try PKCS12.open([0x30, 0x00], password: .init(copying: []))
        }
        let text = error.map { causeTree(of: $0) } ?? ""
        #expect(!text.contains("X509"))
    }
}
