import Database
import Testing

@Suite struct DatabaseErrorTests {
    @Test(arguments: DatabaseError.examples)
    func `every error can be acted on`(error: DatabaseError) {
        #expect(!error.remedy.isEmpty)
        #expect(!error.summary.hasSuffix("."))
        #expect(error.summary.count <= 120)
        #expect(error.remedy.count <= 120)
        #expect(error.code.hasPrefix("database."))
        #expect(!"\(error)".contains("BEGIN"))
    }

    @Test func `no two errors share a code`() {
        let codes = DatabaseError.examples.map(\.code)
        #expect(Set(codes).count == codes.count)
    }
}
