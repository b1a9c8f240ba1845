import PKI
import Secrets
import Testing

@Suite struct PEMDocumentTests {
    private func read(_ text: String) throws -> [PEMDocument.Block] {
        try PEMDocument(Array(text.utf8)).blocks
    }

    @Test(arguments: ["\n", "\r\n"])
    func `text stands around blocks, whatever the line ends`(_ end: String) throws {
        let text = [
            "\u{FEFF}Bag Attributes: none", "-----BEGIN FIRST-----", "Zm9v", "YmE=",
            "-----END FIRST-----  ", "between", "", "-----BEGIN SECOND-----", "AA==",
            "-----END SECOND-----", "after",
        ].joined(separator: end)
        let blocks = try read(text)
        #expect(blocks.map(\.label) == ["FIRST", "SECOND"])
        #expect(blocks.map(\.der) == [Array("fooba".utf8), [0]])
        #expect(blocks.allSatisfy { !$0.isEncrypted })
    }

    @Test func `headers tell of encryption`() throws {
        let blocks = try read(
            """
            -----BEGIN RSA PRIVATE KEY-----
            Proc-Type: 4,ENCRYPTED
            DEK-Info: AES-256-CBC,00112233

            Zm9v
            -----END RSA PRIVATE KEY-----
            """)
        #expect(blocks.first?.headers.count == 2)
        #expect(blocks.first?.isEncrypted == true)
    }

    @Test(arguments: [
        "-----BEGIN A-----\nZm9v\n",
        "-----BEGIN A-----\nZm9v\n-----END B-----\n",
        "-----END A-----\n",
        "-----BEGIN A-----\n-----BEGIN A-----\nZm9v\n-----END A-----\n",
        "-----BEGIN A-----\nZm9\n-----END A-----\n",
        "-----BEGIN A-----\nZm 9v\n-----END A-----\n",
        "-----BEGIN A-----\nZm9v====\n-----END A-----\n",
        "-----BEGIN A-----\nZh==\n-----END A-----\n",
        "-----BEGIN A-----\nZg==\nZm9v\n-----END A-----\n",
        "-----BEGIN A-----\n-----END A-----\n",
        "-----BEGIN A-----\n====\n-----END A-----\n",
        "-----BEGIN A-----\nZm9v\nX: y\nZm9v\n-----END A-----\n",
        "-----BEGIN A-----\nZm9v\n-----END A\n",
        "-----BEGIN A-----\nZm9v\u{0}Zm9\n-----END A-----\n",
    ])
    func `a damaged text is refused`(_ text: String) {
        let error = #expect(throws: PKIError.self) { try read(text) }
        #expect(error?.code == "pki.malformed-pem")
    }

    @Test func `a text without blocks has none`() throws {
        #expect(try read("").isEmpty)
        #expect(try read("-----BEGIN\nnothing\n").isEmpty)
    }

    @Test func `too much is refused`() {
        #expect(throws: PKIError.tooLarge("PEM text", limit: PEMDocument.sizeLimit)) {
            try PEMDocument([UInt8](repeating: 0x20, count: PEMDocument.sizeLimit + 1))
        }
        let many = String(
            repeating: "-----BEGIN A-----\nAA==\n-----END A-----\n",
            count: PEMDocument.blockLimit + 1)
        #expect(throws: PKIError.self) { try read(many) }
    }

    @Test(arguments: 0...100)
    func `what is written is read again`(_ count: Int) throws {
        guard count > 0 else { return }
        let bytes = (0..<count).map { UInt8($0) }
        let text = PEMDocument.text(label: "SOME THING", bytes)
        #expect(try read(text).map(\.der) == [bytes])
    }
}
