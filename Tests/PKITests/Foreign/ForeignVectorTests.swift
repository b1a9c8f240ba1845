import PKI
import Secrets
import TestSupport
import Testing

/// The same files as ``PKCS12VectorTests``, read as anybody's: every one has its outcome.
@Suite(.enabled(if: OutsideVectors.arePresent, "needs ../shared/vectors"))
struct ForeignVectorTests {
    typealias Row = PKCS12VectorTests.Row

    private func survey(_ row: Row, password: String) -> ForeignContents {
        ForeignReader(passwords: [SecretBytes(copying: password.utf8)])
            .survey(SecretBytes(copying: OutsideVectors.read("p12/\(row.file)")))
    }

    @Test(arguments: PKCS12VectorTests.rows.filter { !$0.file.hasPrefix("pbmac1") })
    func `a file opens where OpenSSL with its legacy provider can`(_ row: Row) {
        let contents = survey(row, password: row.password)
        guard row.opensWithLegacy else {
            #expect(!contents.problems.isEmpty)
            #expect(contents.isEmpty)
            #expect(contents.iterationsSpent <= 10_000)
            return
        }
        // A file may open and hold nothing, which is worth a word too.
        let isEmpty = row.keys + row.certificates == 0
        #expect(contents.problems.map(\.error) == (isEmpty ? [.nothingFound] : []))
        #expect(contents.keys.count == row.keys)
        #expect(contents.certificates.count == row.certificates)
        #expect(contents.warnings.contains { $0.contains("no code") } == !row.hasCode)
    }

    @Test(
        arguments: PKCS12VectorTests.rows.filter {
            $0.opensWithLegacy && $0.hasCode && !$0.file.hasPrefix("pbmac1")
        })
    func `another password is told as wrong by the code`(_ row: Row) {
        let contents = survey(row, password: "another")
        #expect(contents.problems.map(\.error) == [.wrongPassword])
        #expect(contents.isEmpty)
    }

    @Test(arguments: PKCS12VectorTests.rows.filter { $0.file.hasPrefix("pbmac1") })
    func `PBMAC1 is judged by its standard`(_ row: Row) {
        let contents = survey(row, password: "1234")
        if row.file.contains(".good") || row.file.contains("sha1_hmac") {
            #expect(contents.problems.isEmpty)
            #expect(contents.keys.count == 1 && contents.certificates.count == 1)
            let wrong = survey(row, password: "12345")
            #expect(wrong.problems.map(\.error) == [.wrongPassword])
        } else if row.file.contains("bad-iter") || row.file.contains("bad-salt.") {
            #expect(contents.problems.map(\.error) == [.wrongPassword])
        } else {
            #expect(contents.problems.map(\.error.code) == ["pki.malformed-bundle"])
            #expect(contents.iterationsSpent == 0)
        }
    }
}
