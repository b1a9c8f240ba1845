import PKI
import Secrets
import TestSupport
import Testing

/// Files of the OpenSSL and `cryptography` test suites, against the table that comes with them.
@Suite(.enabled(if: OutsideVectors.arePresent, "needs ../shared/vectors"))
struct PKCS12VectorTests {
    /// One line of the table.
    struct Row: Sendable, CustomTestStringConvertible {
        let file: String
        let password: String
        let hasCode: Bool
        let keys: Int
        let certificates: Int
        let opensByDefault: Bool
        let opensWithLegacy: Bool

        var testDescription: String { file }
    }

    static let rows: [Row] = {
        let text = String(decoding: OutsideVectors.read("p12/EXPECTED.md"), as: UTF8.self)
        return text.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingSpaces }
            guard cells.count == 7, cells[0].hasSuffix(".p12") || cells[0].hasSuffix(".pfx") else {
                return nil
            }
            let counts = cells[4].split(separator: " ").map { Int($0.dropFirst()) ?? 0 }
            return Row(
                file: cells[0],
                password: cells[1] == "None" ? "" : String(cells[1].dropFirst().dropLast()),
                hasCode: !cells[2].contains("absent"), keys: counts[0], certificates: counts[1],
                opensByDefault: cells[6] == "opens", opensWithLegacy: cells[5] == "opens")
        }
    }()

    @Test func `the table is read`() {
        #expect(Self.rows.count > 50)
    }

    @Test(arguments: rows)
    func `a file opens where OpenSSL's default provider can`(_ row: Row) throws {
        let bytes = OutsideVectors.read("p12/\(row.file)")
        let password = SecretBytes(copying: row.password.utf8)
        guard row.opensByDefault, row.hasCode else {
            let error = #expect(throws: PKIError.self) {
                try PKCS12.open(bytes, password: password)
            }
            #expect(error?.code.hasPrefix("pki.") == true)
            return
        }
        let contents = try PKCS12.open(bytes, password: password)
        #expect(contents.keys.count == row.keys)
        #expect(contents.certificates.count == row.certificates)
        #expect(throws: PKIError.wrongPassword) {
            try PKCS12.open(bytes, password: SecretBytes(copying: "another".utf8))
        }
    }
}

extension Substring {
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
