import PKI
import Secrets
import TestSupport
import Testing

@Suite struct EncodingTests {
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy"),
    ])
    func `base64 is that of RFC 4648`(_ plain: String, _ encoded: String) {
        #expect(Base64.encode(Array(plain.utf8)) == encoded)
        #expect(Base64.decode(encoded) == Array(plain.utf8))
    }

    @Test func `base64url has no padding and its own two characters`() {
        let bytes: [UInt8] = [0xFB, 0xFF, 0xFE, 0x01]
        #expect(Base64.encodeURL(bytes) == "-__-AQ")
        #expect(Base64.decodeURL("-__-AQ") == bytes)
        #expect(Base64.encode(bytes) == "+//+AQ==")
    }

    @Test(arguments: 0...33)
    func `a secret's base64url is that of its bytes`(_ count: Int) {
        let secret = SecretBytes.random(count: count)
        #expect(Base64.encodeURL(secret).revealedText == Base64.encodeURL(secret.revealed))
    }

    @Test(arguments: [
        "Zg", "Zg=", "Zg===", "Zh==", "Z g==", "Zm9v\n", "=Zg=", "Zg==Zg==", "-_-_", "é===",
    ])
    func `loose base64 is refused`(_ text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test(arguments: ["Zg==", "Z", "Zh", "+/+/", "Zm9v\n"])
    func `loose base64url is refused`(_ text: String) {
        #expect(Base64.decodeURL(text) == nil)
    }

    @Test func `hexadecimal goes both ways`() {
        let bytes: [UInt8] = [0x00, 0x0F, 0xA5, 0xFF]
        #expect(Hexadecimal.lowercase(bytes) == "000fa5ff")
        #expect(Hexadecimal.uppercase(bytes) == "000FA5FF")
        #expect(Hexadecimal.decode("000Fa5fF") == bytes)
        #expect(Hexadecimal.decode("0") == nil)
        #expect(Hexadecimal.decode("0g") == nil)
        #expect(Hexadecimal.decode("") == [])
        // Where one spelling alone is ours.
        #expect(Hexadecimal.decode(lowercase: "000fa5ff") == bytes)
        #expect(Hexadecimal.decode(lowercase: "000fa5fF") == nil)
        #expect(Hexadecimal.decode(lowercase: "0g") == nil)
    }

    @Test(arguments: [
        "2.5.4.3", "1.2.840.113635.100.6.46", "0.9.2342.19200300.100.1.1", "2.999.3", "1.39.0",
    ])
    func `object identifiers go both ways`(_ dotted: String) throws {
        let der = try #require(DER.objectIdentifier(dotted))
        var reader = DERReader(der)
        let value = try reader.next()
        #expect(value.tag == 0x06)
        #expect(DERReader.objectIdentifier(value.content) == dotted)
    }

    @Test(arguments: ["", "1", "3.1", "1.40", "a.b", "1..2", "1.2.", "-1.2"])
    func `what is no object identifier is not encoded`(_ text: String) {
        #expect(DER.objectIdentifier(text) == nil)
    }

    @Test func `integers and bit strings are minimal`() {
        #expect(DER.integer(0) == [2, 1, 0])
        #expect(DER.integer(127) == [2, 1, 127])
        #expect(DER.integer(128) == [2, 2, 0, 128])
        #expect(DER.integer(65_536) == [2, 3, 1, 0, 0])
        #expect(DER.integer(.max) == [2, 9, 0] + [UInt8](repeating: 255, count: 8))
        #expect(DER.bitString([0]) == [3, 2, 7, 0x80])
        #expect(DER.bitString([2, 4]) == [3, 2, 3, 0x28])
        #expect(DER.bitString([8]) == [3, 3, 7, 0, 0x80])
        #expect(DER.bitString([]) == [3, 1, 0])
        #expect(DER.octetString([UInt8](repeating: 7, count: 200)).prefix(3) == [4, 0x81, 200])
        #expect(DER.octetString([UInt8](repeating: 7, count: 300)).prefix(4) == [4, 0x82, 1, 44])
    }

    @Test func `a reader tells a cut-off value from a malformed one`() {
        #expect(throws: DERReader.Failure.truncated(missing: 3)) {
            var reader = DERReader([0x30, 0x05, 0x01, 0x01])
            _ = try reader.next()
        }
        #expect(throws: DERReader.Failure.malformed) {
            var reader = DERReader([0x30, 0x89, 1, 1, 1, 1, 1, 1, 1, 1, 1])
            _ = try reader.next()
        }
        #expect(throws: DERReader.Failure.malformed) {
            var reader = DERReader([0x04, 0x80, 0, 0])
            _ = try reader.next()
        }
        #expect(throws: DERReader.Failure.end) {
            var reader = DERReader([])
            _ = try reader.next()
        }
    }
}
