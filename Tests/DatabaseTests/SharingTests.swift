import Database
import Glibc
import TestSupport
import Testing

@Suite struct SharingTests {
    let sample = SampleDatabase()

    @Test func `many writers on one file lose nothing and meet no lock`() async throws {
        try await sample.open().write { transaction in
            try transaction.execute("INSERT INTO things (id, name) VALUES (1, '0')")
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    let database = try await sample.open(.readWrite)
                    for _ in 0..<30 {
                        try await database.write { transaction in
                            let count = try transaction.firstRow(
                                of: "SELECT name FROM things WHERE id = 1"
                            ) { Int(try $0.text("name")) }
                            try transaction.execute(
                                "UPDATE things SET name = ? WHERE id = 1",
                                [.text("\(((count ?? nil) ?? 0) + 1)")])
                        }
                    }
                    await database.close()
                }
            }
            try await group.waitForAll()
        }
        #expect(try sample.sqlite3("SELECT name FROM things WHERE id = 1") == "180")
        #expect(try sample.sqlite3("PRAGMA integrity_check") == "ok")
    }

    @Test func `a reader keeps its snapshot while others commit`() async throws {
        let database = try await sample.open()
        let path = sample.path
        let seen = try await database.read { transaction in
            let before = try transaction.hasRow(of: "SELECT 1 FROM things")
            let foreign = try ForeignProcess.run(
                "sqlite3", [path, "INSERT INTO things (name) VALUES ('new')"])
            #expect(foreign.status == 0)
            return [before, try transaction.hasRow(of: "SELECT 1 FROM things")]
        }
        #expect(seen == [false, false])
        #expect(try await database.read { try $0.hasRow(of: "SELECT 1 FROM things") })
    }

    @Test func `a write waits for another program's lock`() async throws {
        let database = try await sample.open()
        let other = try await sample.holdLock(seconds: 1.5)
        try await database.write { try $0.execute("INSERT INTO things (name) VALUES ('ours')") }
        #expect(try await other.wait(seconds: 5) == 0)
        #expect(try sample.sqlite3("SELECT name FROM things ORDER BY id") == "theirs\nours")
    }

    @Test func `a lock that is not given back in time is an error of its own`() async throws {
        let database = try await sample.open(busyTimeout: .milliseconds(400))
        let other = try await sample.holdLock(seconds: 60)
        let start = ContinuousClock.now
        await #expect(throws: DatabaseError.locked(path: sample.path)) {
            try await database.write { try $0.execute("DELETE FROM things") }
        }
        #expect(ContinuousClock.now - start >= .milliseconds(400))
        // Readers are not held up.
        #expect(try await database.read { try $0.hasRow(of: "SELECT 1 FROM things") } == false)
        other.signal(SIGKILL)
    }

    @Test func `a killed lock holder leaves no lock and no half record`() async throws {
        let database = try await sample.open()
        let other = try await sample.holdLock(seconds: 60)
        other.signal(SIGKILL)
        #expect(try await other.wait(seconds: 5) == 128 + SIGKILL)
        try await database.write { try $0.execute("INSERT INTO things (name) VALUES ('ours')") }
        #expect(try sample.sqlite3("SELECT name FROM things") == "ours")
        #expect(try await database.integrityCheck() == [])
    }

    @Test func `the cooperative pool is free while many writes wait`() async throws {
        let other = try await {
            try await sample.open().close()
            return try await sample.holdLock(seconds: 60)
        }()
        // More than there are cores: on the pool's own threads they would stop everything.
        let waiting = (0..<16).map { number in
            Task {
                try await sample.open(.readWrite, busyTimeout: .seconds(60)).write { transaction in
                    try transaction.execute(
                        "INSERT INTO things (name) VALUES (?)", [.text("\(number)")])
                }
            }
        }
        let start = ContinuousClock.now
        for _ in 0..<20 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(ContinuousClock.now - start < .seconds(10))
        other.signal(SIGKILL)
        for task in waiting { #expect(try await task.value == 1) }
    }
}
