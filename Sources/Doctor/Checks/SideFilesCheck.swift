import Database
import Issuance
import Merchants
import Registry
import Vault

/// Beside every key stands what the database says of it, under a code that shows changes.
///
/// The codes are checked where the vault is open; what is said, always.
enum SideFilesCheck {
    static let check = Check("side-files", needs: [.records]) { patient in
        guard case .open(let home) = patient.records else { return [] }
        var findings = Findings("side-files")
        let (credentials, due) = try await home.database.read { transaction in
            let merchants = try MerchantRecords.list(in: transaction).map(\.identifier)
            return (
                try Credentials.list(in: transaction),
                Set(
                    try merchants.flatMap {
                        try Credentials.withSideFileDue(of: $0, in: transaction).map(\.id)
                    })
            )
        }
        for credential in credentials where credential.custody == .local {
            let slot = KeySlot(credential)
            let remedy =
                "the next command with the master key for \(credential.merchant) writes it"
            guard !due.contains(credential.id) else {
                findings.add(
                    .warning, credential.id.text,
                    "its side file is behind the database: a command without the key was last",
                    remedy: remedy)
                continue
            }
            let path = patient.layout.side(slot)
            switch try condition(of: SideFile(credential), in: slot, patient) {
            case .fits: break
            case .missing: findings.add(.warning, path, "this file is missing", remedy: remedy)
            case .differs:
                findings.add(
                    .warning, path, "this file says something else than the database",
                    remedy: remedy)
            case .damaged:
                findings.add(
                    .critical, path, "this file was changed: its code does not fit",
                    remedy: "find out who did; " + remedy)
            }
        }
        return findings.all
    }

    private static func condition(
        of expected: SideFile, in slot: KeySlot, _ patient: Patient
    ) throws -> SideFileCondition {
        if case .open(let vault) = patient.keys {
            return try vault.condition(of: expected, in: slot)
        }
        do {
            guard let found = try patient.layout.uncheckedSide(in: slot) else { return .missing }
            return found == expected ? .fits : .differs
        } catch VaultError.sideFileDamaged {
            return .damaged
        }
    }
}
