import Database
import Issuance
import Vault

/// The database opens, is whole by SQLite's own checks, and is kept with a write-ahead log.
///
/// That its schema is ours word for word is checked whenever it is opened, and a setting of the
/// connection that writes, `synchronous`, is read back by every command that does.
enum DatabaseCheck {
    static let check = Check("database") { patient in
        var findings = Findings("database")
        let path = patient.layout.database
        guard case .open(let home) = patient.records else {
            if case .failed(let error) = patient.records { findings.add(.critical, path, error) }
            return findings.all
        }
        do {
            for fault in try await home.database.integrityCheck() {
                findings.add(
                    .critical, path, "SQLite says: \(fault.prefix(90))",
                    remedy: DatabaseError.wayBack)
            }
        } catch {
            findings.add(.critical, path, error)
        }
        if let mode = try await home.database.journalMode(), mode != "wal" {
            findings.add(
                .warning, path, "its journal mode is \(mode), not wal: somebody has changed it",
                remedy: "find out who did; the next command that writes sets it back")
        }
        return findings.all
    }
}
