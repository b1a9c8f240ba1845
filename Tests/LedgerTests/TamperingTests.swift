import Database
import Ledger
import PKI
import TestSupport
import Testing

@Suite struct TamperingTests {
    let sample = SampleLedger()

    private func verdict(expecting head: [UInt8]? = nil) async throws -> LedgerError? {
        let database = try await sample.open()
        do {
            _ = try await database.read { try Ledger.verify(expecting: head, in: $0) }
            return nil
        } catch let error as LedgerError {
            return error
        }
    }

    @Test(arguments: [
        "UPDATE ledger SET subject = 'x' WHERE seq = 3",
        "DELETE FROM ledger WHERE seq = 9",
        "REPLACE INTO ledger SELECT 9, at, actor, act, 'x', detail, previous, hash FROM ledger "
            + "WHERE seq = 9",
        "INSERT INTO ledger SELECT 11, at, actor, act, subject, detail, previous, hash "
            + "FROM ledger WHERE seq = 9",
        "INSERT INTO ledger SELECT 12, at, actor, act, subject, detail, hash, hash "
            + "FROM ledger WHERE seq = 10",
    ])
    func `the schema lets entries be added at the end only`(sql: String) async throws {
        try await sample.open(entries: 10).close()
        let done = try ForeignProcess.run("sqlite3", ["-batch", sample.path, sql])
        #expect(done.status != 0)
        #expect(done.errorText.contains("append-only") || done.errorText.contains("continues"))
        #expect(try await verdict() == nil)
    }

    @Test func `our own connection cannot change an entry either`() async throws {
        let database = try await sample.open(entries: 2)
        await #expect(
            throws: DatabaseError.constraint(.trigger, rule: "the ledger is append-only")
        ) {
            try await database.write { try $0.execute("UPDATE ledger SET subject = 'x'") }
        }
    }

    @Test(arguments: ["at", "actor", "act", "subject", "detail"])
    func `a changed field names its entry`(column: String) async throws {
        try await sample.open(entries: 10).close()
        let done = try sample.tamper(
            "UPDATE ledger SET \(column) = replace(\(column), substr(\(column), 3, 1), '7') "
                + "WHERE seq = 6")
        #expect(done.status == 0, "\(done.errorText)")
        #expect(
            try await verdict()
                == .broken(entry: 6, what: "its hash does not fit what it says"))
    }

    @Test func `one changed bit of a hash names its entry`() async throws {
        let database = try await sample.open(entries: 10)
        var hash = try await database.read { try Ledger.list(in: $0)[3].hash }
        await database.close()
        hash[31] ^= 1
        let done = try sample.tamper(
            "UPDATE ledger SET hash = x'\(Hexadecimal.lowercase(hash))' WHERE seq = 4")
        #expect(done.status == 0, "\(done.errorText)")
        #expect(
            try await verdict()
                == .broken(entry: 4, what: "its hash does not fit what it says"))
    }

    @Test func `a text moved between two fields is noticed`() async throws {
        try await sample.open(entries: 3).close()
        _ = try sample.tamper(
            "UPDATE ledger SET actor = actor || substr(act, 1, 1), act = substr(act, 2) "
                + "WHERE seq = 2")
        #expect(try await verdict()?.code == "ledger.broken")
    }

    @Test func `a removed entry is missing`() async throws {
        try await sample.open(entries: 10).close()
        _ = try sample.tamper("DELETE FROM ledger WHERE seq = 5")
        #expect(
            try await verdict() == .broken(entry: 5, what: "it is missing; 6 follows"))
    }

    @Test func `a removed first entry is missing`() async throws {
        try await sample.open(entries: 3).close()
        _ = try sample.tamper("DELETE FROM ledger WHERE seq = 1")
        #expect(
            try await verdict() == .broken(entry: 1, what: "it is missing; 2 follows"))
    }

    @Test func `removing an entry and renumbering the rest is noticed`() async throws {
        try await sample.open(entries: 10).close()
        _ = try sample.tamper(
            "DELETE FROM ledger WHERE seq = 5; UPDATE ledger SET seq = seq - 1 WHERE seq > 5")
        #expect(
            try await verdict()
                == .broken(entry: 5, what: "it does not continue the entry before"))
    }

    @Test func `an entry that is not UTF-8 is broken, not a crash`() async throws {
        try await sample.open(entries: 3).close()
        _ = try sample.tamper("UPDATE ledger SET subject = CAST(x'FF' AS TEXT) WHERE seq = 2")
        #expect(
            try await verdict()
                == .broken(entry: 2, what: "its subject is unusable, it is not UTF-8"))
    }

    @Test func `a cut-off end is noticed by whoever kept a head`() async throws {
        let database = try await sample.open(entries: 10)
        let head = try await database.read { try Ledger.verify(in: $0) }
        await database.close()
        #expect(try await verdict(expecting: head.hash) == nil)

        _ = try sample.tamper("DELETE FROM ledger WHERE seq > 8")
        #expect(try await verdict() == nil)
        #expect(try await verdict(expecting: head.hash) == .headMissing(entries: 8))
    }

    @Test func `an earlier head stays good while the ledger grows`() async throws {
        let database = try await sample.open(entries: 3)
        let early = try await database.read { try Ledger.head(in: $0) }
        try await database.write { transaction in
            try Ledger.append(SampleLedger.entry(3), in: transaction)
        }
        #expect(try await verdict(expecting: early.hash) == nil)
        #expect(try LedgerHead.hash(early.text.uppercased()) == early.hash)
        #expect(throws: LedgerError.badHead) { try LedgerHead.hash("abc") }
        // 64 digits are a head, if none of this ledger; zeros prove nothing.
        let zeros = try LedgerHead.hash(String(repeating: "0", count: 64))
        #expect(try await verdict(expecting: zeros) == .headMissing(entries: 4))
    }

    @Test(arguments: [Int64.max, .max - 1, 0, -1, .min])
    func `an entry of any number is broken, and not a crash`(number: Int64) async throws {
        try await sample.open(entries: 3).close()
        let done = try sample.tamper(
            "UPDATE ledger SET seq = CAST('\(number)' AS INTEGER) WHERE seq = 3")
        #expect(done.status == 0, "\(done.errorText)")
        #expect(try await verdict()?.code == "ledger.broken")
        let database = try await sample.open()
        _ = try await database.read { try Ledger.list(LedgerFilter(limit: .max), in: $0) }
        // Nothing is put behind what has no successor.
        if number == .max {
            await #expect(
                throws: LedgerError.broken(entry: number, what: "no entry has this number")
            ) {
                try await database.write { transaction in
                    _ = try Ledger.append(SampleLedger.entry(3), in: transaction)
                }
            }
        }
    }

    @Test func `numbers below one at the end are refused when the next entry is written`()
        async throws
    {
        try await sample.open(entries: 1).close()
        _ = try sample.tamper("UPDATE ledger SET seq = CAST('\(Int64.min)' AS INTEGER)")
        let database = try await sample.open()
        await #expect(
            throws: LedgerError.broken(entry: .min, what: "no entry has this number")
        ) {
            try await database.write { transaction in
                _ = try Ledger.append(SampleLedger.entry(1), in: transaction)
            }
        }
    }

    @Test(arguments: [
        "CREATE TRIGGER spy AFTER INSERT ON ledger BEGIN SELECT 1; END",
        "CREATE VIEW spy AS SELECT * FROM ledger",
        "DROP TRIGGER ledger_is_not_changed",
    ])
    func `a chain that is whole is not verified in a database that was rebuilt`(
        sql: String
    ) async throws {
        try await sample.open(entries: 3).close()
        _ = try ForeignProcess.run("sqlite3", ["-batch", sample.path, sql])
        let error = await #expect(throws: DatabaseError.self) { try await verdict() }
        #expect(error?.code == "database.schema-changed")
    }
}
