import Clocks
import Database
import Issuance
import Ledger
import Merchants
import PKI
import Registry
import Secrets
import TestSupport
import Testing

@Suite struct AssociationFileTests {
    private let now = Timestamp(seconds: 1_800_000_000)

    private func fault(_ bytes: [UInt8]) -> AssociationFault? {
        do throws(AssociationFault) {
            _ = try AssociationFile(bytes)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: ["\n", "\r\n", ""])
    func `the portal's form is read, whatever ends its lines`(lineEnd: String) throws {
        let pki = try TestPKI(now: now)
        let made = now.adding(days: -3)
        let bytes = try pki.portalFile(for: "shop.example.com", at: made, lineEnd: lineEnd)
        let file = try AssociationFile(bytes)
        #expect(file.bytes == bytes)
        #expect(
            file.facts
                == AssociationFacts(
                    form: .portal, team: "TEAM123456", domain: "shop.example.com", provider: nil,
                    version: 1, createdAt: made))
        #expect(try AssociationFile(bytes + Array(lineEnd.utf8)).facts == file.facts)
    }

    @Test func `the providers' form is read`() throws {
        let pki = try TestPKI(now: now)
        let file = try AssociationFile(try pki.platformFile())
        #expect(
            file.facts
                == AssociationFacts(
                    form: .platform, team: nil, domain: nil, provider: "0123ABCD", version: 1,
                    createdAt: now))
        let trust = RealmTrust(
            roots: [pki.processingRoot.certificate], intermediates: [])
        #expect(try file.verify(with: trust, realm: .apple))
        let other = RealmTrust(roots: [pki.identityRoot.certificate], intermediates: [])
        #expect(throws: AssociationFault.notApples(realm: .apple)) {
            try file.verify(with: other, realm: .apple)
        }
        let nothing = RealmTrust(roots: [], intermediates: [])
        #expect(try !file.verify(with: nothing, realm: .apple))
    }

    /// What happens to files on their way: cut, mended, mixed up, or made by somebody else.
    @Test func `a file that is broken anywhere is refused, and why is told`() throws {
        let pki = try TestPKI(now: now)
        let portal = try pki.portalFile(for: "shop.example.com")
        let dense = portal.filter { $0 != 0x0A }
        let message = try #require(Base64.decodeURL(String(decoding: dense, as: UTF8.self)))
        let platform = try pki.platformFile()
        let json = try #require(
            Hexadecimal.decode(String(decoding: platform.dropLast(), as: UTF8.self)))
        func hex(_ text: String) -> [UInt8] { Array(Hexadecimal.uppercase(Array(text.utf8)).utf8) }
        func replaced(_ from: String, _ to: String) -> [UInt8] {
            let text = String(decoding: json, as: UTF8.self)
            return hex(text.replacing(from, with: to))
        }
        var changed = message
        let place = try #require(
            message.indices.first { message[$0...].starts(with: Array("shop.example".utf8)) })
        changed[place] = UInt8(ascii: "x")
        let cases: [(String, [UInt8], AssociationFault?)] = [
            ("nothing", [], .empty), ("line ends", Array("\r\n\n".utf8), .empty),
            ("a web page", Array("<!doctype html>".utf8), .notEncoded),
            (
                "padded in the middle", dense[..<40] + [0x3D] + dense[40...],
                .damaged("its text was cut off or changed")
            ),
            ("not UTF-8", [0xFF, 0xFE] + dense, .notEncoded),
            ("standard base64", Array(Base64.encode([0xFB, 0xFF, 0xFE]).utf8), .notEncoded),
            ("one character too few", Array(dense.dropLast(message.count % 3 == 0 ? 3 : 1)), nil),
            ("cut", Array(dense[..<2_000]), nil),
            ("an odd count of digits", Array(platform.dropLast(2)), nil),
            ("changed inside", Array(Base64.encodeURL(changed).utf8), .signatureWrong),
            (
                "bytes behind the message", Array(Base64.encodeURL(message + [0, 0, 0]).utf8),
                .damaged("there are more bytes after the end of its signed message")
            ),
            (
                "another message inside", try pki.portalFile(json: "[1]"),
                .damaged("its JSON is no object")
            ),
            ("no JSON", try pki.portalFile(json: "{"), .damaged("its JSON cannot be read")),
            (
                "no team", try pki.portalFile(json: #"{"domain":"a.example","version":1}"#),
                .damaged("there is no teamId")
            ),
            (
                "a number for a domain",
                try pki.portalFile(json: #"{"teamId":"T","domain":1,"version":1}"#),
                .damaged("its domain is of another sort")
            ),
            ("no signature", replaced("signature", "signatur"), .damaged("there is no signature")),
            ("another provider", replaced("0123ABCD", "0123ABCE"), .signatureWrong),
            ("another version", replaced(#""version":1"#, #""version":2"#), .signatureWrong),
            ("another time", replaced("821,", "822,"), .signatureWrong),
            (
                "signature not in digits", replaced(#""signature":"30"#, #""signature":"zz"#),
                .damaged("its signature is not hexadecimal")
            ),
            (
                "a message without a signer",
                hex(#"{"pspId":"A","version":1,"createdOn":1,"signature":"3000"}"#),
                .damaged("its signed message cannot be read")
            ),
            (
                "deep", hex(String(repeating: "[", count: 30_000)),
                .damaged("its JSON cannot be read")
            ),
            (
                "a time beyond numbers",
                hex(#"{"pspId":"A","version":1,"createdOn":1e40,"signature":"00"}"#), nil
            ),
            ("too large", [UInt8](repeating: UInt8(ascii: "M"), count: 65_537), .tooLarge),
        ]
        for (what, bytes, expected) in cases {
            let found = fault(bytes)
            #expect(found != nil, "\(what)")
            if let expected { #expect(found == expected, "\(what)") }
        }
    }

    @Test func `what was meant to be such a file is told from other files`() throws {
        let pki = try TestPKI(now: now)
        let portal = try pki.portalFile(for: "shop.example.com")
        guard case .success? = AssociationFile.recognise(portal) else {
            Issue.record("not recognised")
            return
        }
        for damaged in [Array(portal.dropLast(400)), Array(try pki.platformFile().dropLast(9))] {
            guard case .failure? = AssociationFile.recognise(damaged) else {
                Issue.record("not recognised")
                continue
            }
        }
        let key = try TestPKI.sharedKey(.ecP256)
        let others: [[UInt8]] = [
            [], Array("hello".utf8), pki.identityRoot.certificate.der,
            Array(pki.identityRoot.certificate.pem.utf8),
            Array(Base64.encode(pki.identityRoot.certificate.der).utf8),
            try key.pkcs8PEM().withUnsafeBytes { Array($0) },
        ]
        for bytes in others {
            if AssociationFile.recognise(bytes) != nil { Issue.record("recognised") }
        }
    }
}
