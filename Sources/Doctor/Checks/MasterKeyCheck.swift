import Issuance
import Vault

/// `master.json` can be read, is the newest there was, the key that was given opens it, and no
/// rotation is unfinished.
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
            if let newest = try await newest(patient), newest > summary.generation {
                // It may have been rotated between the two looks.
                let now = try MasterSummary(patient.layout).generation
                if newest > now {
                    findings.add(
                        .critical, path,
                        VaultError.masterOutdated(generation: now, known: newest))
                }
            }
        } catch {
            findings.add(.critical, path, error)
            return findings.all
        }
        if case .failed(let error) = patient.keys { findings.add(.critical, path, error) }
        return findings.all
    }

    /// The newest vault key that side files or the ledger tell of.
    private static func newest(_ patient: Patient) async throws -> Int? {
        // A folder or a record that cannot be read is another check's.
        let side = try? patient.layout.newestSideGeneration()
        guard case .open(let home) = patient.records else { return side }
        return [side, try? await home.newerGeneration(than: side ?? 0)].compactMap { $0 }.max()
    }
}
