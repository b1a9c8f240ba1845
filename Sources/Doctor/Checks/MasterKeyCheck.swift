import Vault

/// `master.json` can be read, the key that was given opens it, and no rotation is unfinished.
enum MasterKeyCheck {
    static let check = Check("master-key") { patient in
        var findings = Findings("master-key")
        let path = patient.layout.master
        do {
            let summary = try MasterSummary(patient.layout)
            if summary.generations.count > 1 {
                findings.add(
                    .warning, path,
                    "it holds \(summary.generations.count) vault keys: a rotation is unfinished",
                    remedy: "finish it: purser master-key rotate")
            }
            if !summary.generations.contains(summary.generation) {
                findings.add(
                    .critical, path,
                    VaultError.masterDamaged("the vault key in use is missing from it"))
            }
        } catch {
            findings.add(.critical, path, error)
            return findings.all
        }
        if case .failed(let error) = patient.keys { findings.add(.critical, path, error) }
        return findings.all
    }
}
