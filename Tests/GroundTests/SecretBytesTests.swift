import Secrets
import Testing

@Suite struct SecretBytesTests {
    @Test func `a secret never prints its bytes`() {
        let secret = SecretBytes(copying: Array("hunter2".utf8))
        var dumped = ""
        dump(secret, to: &dumped)
        #expect("\(secret)" == "‹secret›")
        #expect(String(reflecting: secret) == "‹secret›")
        #expect(!dumped.contains("104"))
    }

    @Test func `taking over an array wipes it`() {
        var bytes: [UInt8] = [1, 2, 3]
        let secret = SecretBytes(wiping: &bytes)
        #expect(bytes.isEmpty)
        #expect(secret == SecretBytes(copying: [1, 2, 3]))
    }

    @Test(arguments: [([1, 2], [1, 3]), ([1], [1, 1]), ([0], [])] as [([UInt8], [UInt8])])
    func `different secrets differ`(_ one: [UInt8], _ other: [UInt8]) {
        #expect(SecretBytes(copying: one) != SecretBytes(copying: other))
    }

    @Test func `random secrets differ and have the length asked for`() {
        let one = SecretBytes.random(count: 32)
        #expect(one.count == 32)
        #expect(one != SecretBytes.random(count: 32))
    }
}
