import TestSupport
import Testing

/// The order of Keystore/README.md, read off the calls that a command makes.
///
/// A kill cannot show it: what was written and not synchronised outlives the process, but not a
/// power cut.
@Suite(.enabled(if: CrashPoint.isPossible, CrashPoint.reason))
struct WriteOrderTests {
    /// Finds calls one after the other, each behind the last one found.
    private struct Reader {
        let calls: [String]
        var place = 0

        /// Goes on to the next call that `begins` so and holds `part`; an issue where none comes.
        mutating func next(_ begins: String, _ part: String, _ comment: Comment) {
            let found = calls[place...].firstIndex {
                $0.hasPrefix(begins + " ") && $0.contains(part)
            }
            #expect(found != nil, "\(comment): no \(begins) of \(part) in \(calls[place...])")
            place = found.map { $0 + 1 } ?? place
        }

        mutating func commit() {
            next("fdatasync", "/purser.db-wal", "the record is durable")
        }
    }

    @Test(arguments: [false, true])
    func `a CSR is told after its key, then its record, are on the disk`(
        hidesUnnamedFiles: Bool
    ) async throws {
        let stage = try await Stage()
        let out = stage.home.folder.file("out")
        let words = ["certificate", "request", Stage.merchant, "payment-processing", "--out", out]
        let crash = CrashPoint(hidesUnnamedFiles: hidesUnnamedFiles)
        var calls = Reader(calls: try await crash.calls(of: words, on: stage.home))
        calls.next("fsync", "/payment-processing/", "the key's bytes are durable")
        calls.next(hidesUnnamedFiles ? "link" : "linkat", ".p12", "it gets its name")
        calls.next("fsync", "/payment-processing", "its name is durable")
        calls.commit()
        calls.next("fsync", "/.unfinished-", "the side file's bytes are durable")
        calls.next("rename", ".json", "the side file is replaced")
        calls.next("fsync", "/payment-processing", "its name is durable")
        calls.commit()
        calls.next("fsync", "", "the CSR's bytes are durable")
        calls.next(hidesUnnamedFiles ? "link" : "linkat", "/out", "the CSR is told")
    }

    @Test func `a certificate stands beside its key before it is recorded`() async throws {
        let stage = try await Stage()
        let words = stage.filledIn(["certificate", "import", Stage.merchant, "CERTIFICATE"])
        var calls = Reader(calls: try await CrashPoint().calls(of: words, on: stage.home))
        calls.next("fsync", "/.unfinished-", "key and certificate are durable")
        calls.next("rename", ".p12", "they replace the key alone")
        calls.next("fsync", "/merchant-identity", "the name is durable")
        calls.commit()
        calls.next("rename", ".json", "the side file is replaced")
    }

    @Test func `an export is in the ledger before its file is there`() async throws {
        let stage = try await Stage()
        let words = stage.filledIn(
            ["certificate", "export", "ISSUED", "--password-file", "SECRET", "--out", "OUT"])
        var calls = Reader(calls: try await CrashPoint().calls(of: words, on: stage.home))
        calls.commit()
        calls.next("fsync", "", "the file's bytes are durable")
        calls.next("linkat", "/out", "it gets its name")
        calls.next("fsync", "", "its name is durable")
    }

    @Test func `master json is durable before there is a database`() async throws {
        let home = try await TestHome(founded: false)
        var calls = Reader(calls: try await CrashPoint().calls(of: ["init"], on: home))
        calls.next("linkat", "/master.key", "the key file gets its name")
        calls.next("fsync", "", "its name is durable")
        calls.next("mkdir", "/home", "the home is made")
        calls.next("linkat", "/master.json", "the vault key gets its name")
        calls.next("fsync", "/home", "its name is durable")
        calls.next("link", "/purser.db", "the database gets its name")
        calls.commit()
    }
}
