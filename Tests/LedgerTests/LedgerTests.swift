import Clocks
import Database
import Ledger
import TestSupport
import Testing

@Suite struct LedgerTests {
    let sample = SampleLedger()

    @Test func `entries come back as they were written, in order and chained`() async throws {
        let database = try await sample.open(entries: 5)
        let found = try await database.read { try Ledger.list(in: $0) }
        #expect(found.map(\.sequence) == [1, 2, 3, 4, 5])
        #expect(found[0].previous == [UInt8](repeating: 0, count: 32))
        for (one, next) in zip(found, found.dropFirst()) { #expect(next.previous == one.hash) }
        let first = SampleLedger.entry(0)
        #expect(found[0].at == "2026-05-28T20:26:40Z")
        #expect(found[0].actor == "user:alice (uid 1000, login 1000)")
        #expect(found[0].act == "merchant.added")
        #expect(found[0].subject == first.subject)
        #expect(found[0].details == first.detail)
    }

    @Test func `a detail is JSON with sorted keys`() async throws {
        let database = try await sample.open(entries: 1)
        let found = try await database.read { try Ledger.list(in: $0) }
        #expect(found[0].detail == #"{"note":"naïve \"quoted\" / slash","number":"0"}"#)
    }

    @Test func `an empty ledger verifies`() async throws {
        let database = try await sample.open()
        let head = try await database.read { try Ledger.verify(in: $0) }
        #expect(head == .beginning)
        #expect(head.text == String(repeating: "0", count: 64))
    }

    @Test func `filters select by subject, act, time and number`() async throws {
        let database = try await sample.open(entries: 10)
        let numbers = { @Sendable (filter: LedgerFilter) in
            try await database.read { transaction in
                try Ledger.list(filter, in: transaction).map(\.sequence)
            }
        }
        #expect(
            try await numbers(LedgerFilter(subject: "merchant.com.example.b")) == [2, 4, 6, 8, 10])
        #expect(try await numbers(LedgerFilter(act: .merchantAdded)) == [1, 3, 5, 7, 9])
        let since = SampleLedger.start.adding(seconds: 7 * 60)
        #expect(try await numbers(LedgerFilter(since: since)) == [8, 9, 10])
        #expect(try await numbers(LedgerFilter(until: since)) == [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(try await numbers(LedgerFilter(since: since, until: since)) == [8])
        for name in ["alice", "user:alice", "user:alice (uid 1000, login 1000)"] {
            #expect(try await numbers(LedgerFilter(actor: name, limit: 1)) == [10])
        }
        for name in ["ali", "alice (uid 1000", "user:", "%", ""] {
            #expect(try await numbers(LedgerFilter(actor: name)) == [], "\(name)")
        }
        #expect(try await numbers(LedgerFilter(limit: 2)) == [9, 10])
        #expect(try await numbers(LedgerFilter(limit: 0)) == [])
        #expect(
            try await numbers(LedgerFilter(act: .domainAdded, since: since, limit: 1)) == [10])
    }

    @Test func `an act that fails leaves no entry`() async throws {
        struct Failed: Error {}
        let database = try await sample.open(entries: 1)
        await #expect(throws: Failed.self) {
            try await database.write { transaction in
                try Ledger.append(SampleLedger.entry(1), in: transaction)
                throw Failed()
            }
        }
        #expect(try await database.read { try Ledger.head(in: $0) }.sequence == 1)
    }

    @Test func `many writers make one chain without gaps`() async throws {
        try await sample.open(entries: 1).close()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<5 {
                group.addTask {
                    let database = try await sample.open()
                    for number in 0..<20 {
                        try await database.write { transaction in
                            try Ledger.append(
                                SampleLedger.entry(writer * 100 + number), in: transaction)
                        }
                    }
                    await database.close()
                }
            }
            try await group.waitForAll()
        }
        let database = try await sample.open()
        #expect(try await database.read { try Ledger.verify(in: $0) }.sequence == 101)
    }

    @Test func `a stranger recomputes the chain from the documented encoding`() async throws {
        let database = try await sample.open(entries: 25)
        let head = try await database.read { try Ledger.head(in: $0) }
        await database.close()
        let script = """
            import sqlite3, hashlib, struct
            def field(x): return struct.pack('>Q', len(x)) + x
            last = bytes(32)
            rows = sqlite3.connect('\(sample.path)').execute(
                'SELECT seq, at, actor, act, subject, detail FROM ledger ORDER BY seq')
            for seq, *texts in rows:
                last = hashlib.sha256(
                    field(b'purser ledger 1') + field(last) + field(struct.pack('>q', seq))
                    + b''.join(field(t.encode()) for t in texts)).digest()
            print(last.hex())
            """
        let done = try ForeignProcess.run("python3", ["-c", script])
        #expect(done.text == head.text + "\n", "\(done.errorText)")
    }

    @Test func `the acting user is this process's, with the login behind it`() {
        let text = LedgerActor.current().text
        #expect(text.hasPrefix("user:"))
        #expect(text.contains("(uid "))
        #expect(text.hasSuffix(", login none)") || text.contains(/login \d+\)$/))
        #expect(LedgerActor.token(id: "t1").text == "token:t1")
        #expect(
            LedgerActor.user(name: "svc", uid: 7, login: nil).text
                == "user:svc (uid 7, login none)")
    }

    @Test(arguments: LedgerError.examples)
    func `every error can be acted on`(error: LedgerError) {
        #expect(!error.remedy.isEmpty && error.remedy.count <= 120)
        #expect(error.summary.count <= 120 && !error.summary.hasSuffix("."))
    }
}
