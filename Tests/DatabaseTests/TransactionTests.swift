import Database
import TestSupport
import Testing

@Suite struct TransactionTests {
    struct Stop: Error {}

    let sample = SampleDatabase()

    @Test func `values of every type come back as they were`() async throws {
        let database = try await sample.open()
        let name = "ünïcode \0 and NUL"
        let bytes: [UInt8] = [0, 255, 0, 1]
        try await database.write { transaction in
            try transaction.execute(
                "INSERT INTO things (id, name, bytes) VALUES (?, ?, ?)",
                [.integer(.min), .text(name), .blob(bytes)])
            try transaction.execute(
                "INSERT INTO things (id, name, bytes) VALUES (2, ?, ?)", [.text(""), .blob([])])
            try transaction.execute(
                "INSERT INTO things (id, name, bytes) VALUES (3, ?, ?)", [nil, nil])
        }
        try await database.read { transaction in
            let found = try transaction.rows(of: "SELECT * FROM things ORDER BY id") { row in
                (
                    try row.integer("id"), try row.optionalText("name"),
                    try row.optionalBlob("bytes")
                )
            }
            #expect(found.count == 3)
            #expect(found[0] == (.min, name, bytes))
            #expect(found[1].1 == "" && found[1].2 == [])
            #expect(found[2].1 == nil && found[2].2 == nil)
        }
    }

    @Test func `an error rolls back everything`() async throws {
        let database = try await sample.open()
        await #expect(throws: Stop.self) {
            try await database.write { transaction in
                try transaction.execute("INSERT INTO things (name) VALUES ('gone')")
                throw Stop()
            }
        }
        #expect(try sample.sqlite3("SELECT count(*) FROM things") == "0")
        try await database.write { try $0.execute("INSERT INTO things (name) VALUES ('next')") }
        #expect(try sample.sqlite3("SELECT name FROM things") == "next")
    }

    @Test func `the number of changed rows is told`() async throws {
        let database = try await sample.open()
        let changed = try await database.write { transaction in
            try transaction.execute("INSERT INTO things (name) VALUES ('a'), ('b'), ('c')")
            return try transaction.execute("DELETE FROM things WHERE name > 'a'")
        }
        #expect(changed == 2)
    }

    @Test func `a query may run inside the loop over the same query`() async throws {
        let database = try await sample.open()
        let pairs = try await database.write { transaction in
            try transaction.execute("INSERT INTO things (name) VALUES ('a'), ('b'), ('c')")
            var pairs: [String] = []
            try transaction.forEachRow(of: "SELECT name FROM things ORDER BY id") { outer in
                let first = try outer.text("name")
                pairs += try transaction.rows(of: "SELECT name FROM things ORDER BY id") { inner in
                    first + (try inner.text("name"))
                }
                return pairs.count < 6
            }
            return pairs
        }
        #expect(pairs == ["aa", "ab", "ac", "ba", "bb", "bc"])
    }

    @Test func `a reading transaction refuses to write`() async throws {
        let database = try await sample.open()
        await #expect(throws: DatabaseError.writeWhileReading) {
            try await database.read { try $0.execute("INSERT INTO things (name) VALUES ('a')") }
        }
        let reader = try await sample.open(.readOnly)
        await #expect(throws: DatabaseError.readOnly(path: sample.path)) {
            try await reader.write { try $0.execute("INSERT INTO things (name) VALUES ('a')") }
        }
        #expect(try sample.sqlite3("SELECT count(*) FROM things") == "0")
    }

    @Test func `a broken rule is told apart and the transaction can go on`() async throws {
        let database = try await sample.open()
        let rule = "UNIQUE constraint failed: things.name"
        try await database.write { transaction in
            try transaction.execute("INSERT INTO things (name) VALUES ('once')")
            do throws(DatabaseError) {
                try transaction.execute("INSERT INTO things (name) VALUES ('once')")
                Issue.record("the same name twice")
            } catch {
                #expect(error == .constraint(.unique, rule: rule))
            }
            try transaction.execute("INSERT INTO things (name) VALUES ('twice')")
        }
        #expect(try sample.sqlite3("SELECT count(*) FROM things") == "2")
    }

    @Test(arguments: [
        ("none", "there is none of this name"), ("number", "it is no text"),
        ("absent", "it is NULL"), ("bad", "it is not UTF-8"),
    ])
    func `a column that is not the text expected is named`(
        name: String, what: String
    ) async throws {
        let database = try await sample.open()
        await #expect(throws: DatabaseError.wrongColumn(name: name, what: what)) {
            try await database.read { transaction in
                try transaction.rows(
                    of: "SELECT 1 AS number, NULL AS absent, CAST(x'FF' AS TEXT) AS bad"
                ) { try $0.text(name) }
            }
        }
    }

    @Test func `a wrong number of values is refused`() async throws {
        let database = try await sample.open()
        let refusal = await databaseError {
            try await database.write { try $0.execute("DELETE FROM things WHERE id = ?") }
        }
        #expect(refusal?.code == "database.bad-statement")
    }

    @Test func `text from outside stays a value`() async throws {
        let database = try await sample.open()
        let hostile = "x'); DROP TABLE things; --"
        let found = try await database.write { transaction in
            try transaction.execute("INSERT INTO things (name) VALUES (?)", [.text(hostile)])
            let columns: SQL = "id, name"
            return try transaction.firstRow(
                of: "SELECT \(columns) FROM things WHERE name = ?", [.text(hostile)]
            ) { try $0.text("name") }
        }
        #expect(found == hostile)
    }

    @Test func `a commit by anybody changes the counter, a read does not`() async throws {
        let database = try await sample.open()
        let other = try await sample.open()
        let first = try await database.changeCounter()
        try await database.read { _ in }
        #expect(try await database.changeCounter() == first)

        try await database.write { try $0.execute("INSERT INTO things (name) VALUES ('own')") }
        let second = try await database.changeCounter()
        #expect(second != first)

        try await other.write { try $0.execute("INSERT INTO things (name) VALUES ('other')") }
        let third = try await database.changeCounter()
        #expect(third != second)

        _ = try sample.sqlite3("INSERT INTO things (name) VALUES ('foreign')")
        #expect(try await database.changeCounter() != third)
    }
}
