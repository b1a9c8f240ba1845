import TestSupport
import Testing

/// The ledger against somebody who owns the database and has `sqlite3`.
@Suite struct HistoryTests {
    private let home: TestHome

    init() async throws {
        home = try await TestHome()
        try await home.must("merchant", "add", "merchant.com.example.shop")
        for number in 1...8 {
            try await home.must(
                "domain", "add", "merchant.com.example.shop", "shop\(number).example.com")
        }
    }

    private var database: String { "\(home.path)/purser.db" }

    private func sqlite(_ sql: String) throws -> String {
        let done = try ForeignProcess.run("sqlite3", ["-batch", database, sql])
        try #require(done.status == 0, "\(done.errorText)")
        return done.text
    }

    private static let dropping = """
        DROP TRIGGER ledger_is_not_changed; DROP TRIGGER ledger_is_not_shortened;
        DROP TRIGGER ledger_has_no_gaps;
        """

    /// Changes the ledger without its triggers, and puts those back where `tidily`.
    private func tamper(_ sql: String, tidily: Bool) throws {
        let triggers = try sqlite(
            "SELECT sql || ';' FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'ledger'")
        _ = try sqlite("\(Self.dropping) \(sql); \(tidily ? triggers : "")")
    }

    @Test(arguments: [true, false])
    func `one byte changed in the ledger is named by its entry`(tidily: Bool) async throws {
        try await home.must("audit", "verify")
        try tamper(
            "UPDATE ledger SET detail = replace(detail, 'shop3', 'shop9') WHERE seq = 5",
            tidily: tidily)
        let result = try await home.run("audit", "verify")
        #expect(result.status == 70)
        #expect(result.errorText.contains("the ledger is broken at entry 5"), "\(result.errorText)")
        let refusal = try await home.refusal("audit", "verify")
        #expect(refusal.code == "ledger.broken")
    }

    @Test func `without its triggers alone the database is not believed either`() async throws {
        try tamper("SELECT 1", tidily: false)
        #expect(try await home.refusal("audit", "verify").code == "database.schema-changed")
    }

    @Test func `the last entry deleted is told by the head that was noted`() async throws {
        let head = try await home.json("audit", "verify")["head"].text ?? ""
        try tamper("DELETE FROM ledger WHERE seq = (SELECT max(seq) FROM ledger)", tidily: true)
        // The chain alone is whole.
        try await home.must("audit", "verify")
        let refusal = try await home.refusal("audit", "verify", "--head", head)
        #expect(refusal.status == 65 && refusal.code == "ledger.head-missing")
        // An earlier head still stands.
        let now = try await home.json("audit", "verify")["head"].text ?? ""
        try await home.must("domain", "add", "merchant.com.example.shop", "new.example.com")
        try await home.must("audit", "verify", "--head", now)
        #expect(try await home.refusal("audit", "verify", "--head", head).status == 65)
    }

    @Test func `a chain that was written anew is told by the head that was noted`() async throws {
        let head = try await home.json("audit", "verify")["head"].text ?? ""
        let rewrite = """
            import hashlib, sqlite3, struct, sys
            base = sqlite3.connect(sys.argv[1])
            field = lambda b: struct.pack('>Q', len(b)) + b
            last = bytes(32)
            rows = base.execute('SELECT seq, at, actor, act, subject, detail FROM ledger ORDER BY seq').fetchall()
            for seq, at, actor, act, subject, detail in rows:
                detail = detail.replace('shop3', 'shop9')
                parts = [b'purser ledger 1', last, struct.pack('>q', seq)]
                parts += [x.encode() for x in (at, actor, act, subject, detail)]
                hash = hashlib.sha256(b''.join(map(field, parts))).digest()
                base.execute('UPDATE ledger SET detail = ?, previous = ?, hash = ? WHERE seq = ?',
                             (detail, last, hash, seq))
                last = hash
            base.commit()
            """
        let triggers = try sqlite(
            "SELECT sql || ';' FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'ledger'")
        _ = try sqlite(Self.dropping)
        let done = try ForeignProcess.run("python3", ["-c", rewrite, database])
        try #require(done.status == 0, "\(done.errorText)")
        _ = try sqlite(triggers)
        try await home.must("audit", "verify")
        let refusal = try await home.refusal("audit", "verify", "--head", head)
        #expect(refusal.code == "ledger.head-missing")
    }

    @Test func `the list is filtered by who and when`() async throws {
        let all = try JSON.lines(try await home.must("audit", "list", "--json"))
        let actor = try #require(all[0]["actor"].text)
        let name = actor.split(separator: " ")[0].split(separator: ":")[1]
        let mine = try JSON.lines(
            try await home.must("audit", "list", "--json", "--actor", String(name)))
        #expect(mine.count == all.count)
        #expect(try await home.must("audit", "list", "--actor", "somebody").isEmpty)
        let today = String(try #require(all[0]["at"].text).prefix(10))
        let until = try JSON.lines(
            try await home.must("audit", "list", "--json", "--until", today, "--since", today))
        #expect(!until.isEmpty)
        #expect(try await home.must("audit", "list", "--until", "2001-01-01").isEmpty)
        let one = try JSON.lines(
            try await home.must(
                "audit", "list", "--json", "--merchant", "merchant.com.example.shop", "--act",
                "merchant.added"))
        #expect(one.count == 1)
    }
}
