import Database
import Issuance
import Ledger
import Vault

/// The ledger's chain is whole: as `purser audit verify` without a head.
enum LedgerCheck {
    static let check = Check("ledger", needs: [.records]) { patient in
        var findings = Findings("ledger")
        guard case .open(let home) = patient.records else { return [] }
        do {
            let head = try await home.database.read { try Ledger.verify(in: $0) }
            // A home's history begins with its making.
            guard head.sequence > 0 else {
                throw LedgerError.broken(entry: 1, what: "there is no entry at all")
            }
        } catch {
            findings.add(.critical, patient.layout.database, error)
        }
        return findings.all
    }
}
