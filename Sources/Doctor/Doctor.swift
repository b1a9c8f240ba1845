import Vault

/// Looks at everything that may be wrong with a home, and says what to do; it never repairs.
package enum Doctor {
    /// All checks, in the order in which their findings are told.
    package static let checks: [Check] = [
        PermissionsCheck.check, NamesCheck.check, SettingsCheck.check, DatabaseCheck.check,
        LedgerCheck.check, MasterKeyCheck.check, OrphansCheck.check, SideFilesCheck.check,
        KeysCheck.check, CertificatesCheck.check, AlertsCheck.check, TrustCheck.check,
        ClockCheck.check,
        SpaceCheck.check,
        CoreDumpsCheck.check, SwapCheck.check, NetworkCheck.check,
    ]

    /// Runs them all; one that fails is a finding, and keeps no other from being run.
    package static func examine(_ patient: Patient) async -> Examination {
        var examination = Examination()
        for check in checks {
            if let reason = check.reasonToSkip(patient) {
                examination.outcomes.append(CheckOutcome(name: check.name, skipped: reason))
                continue
            }
            examination.outcomes.append(CheckOutcome(name: check.name, skipped: nil))
            do {
                examination.findings += try await check.examine(patient)
            } catch {
                var findings = Findings(check.name)
                findings.add(.critical, patient.layout.path, error)
                examination.findings += findings.all
            }
        }
        return examination
    }
}

/// One thing that is looked at.
package struct Check: Sendable {
    /// What must be at hand for it.
    enum Need: Sendable { case records, keys, network }

    package let name: String
    let needs: [Need]
    let examine: @Sendable (Patient) async throws -> [Symptom]

    init(
        _ name: String, needs: [Need] = [],
        examine: @escaping @Sendable (Patient) async throws -> [Symptom]
    ) {
        self.name = name
        self.needs = needs
        self.examine = examine
    }

    /// Why it cannot be made, where something is not at hand.
    func reasonToSkip(_ patient: Patient) -> String? {
        for need in needs {
            switch need {
            case .records:
                if case .open = patient.records { continue }
                return "the database cannot be opened"
            case .keys:
                switch patient.keys {
                case .open: continue
                case .closed(let reason): return reason
                case .failed: return "the vault does not open"
                }
            case .network:
                if !patient.withNetwork { return "ask for it with --network" }
            }
        }
        return nil
    }
}

/// Whether a check was made.
package struct CheckOutcome: Sendable, Hashable {
    package let name: String
    /// Why not; nil when it was.
    package let skipped: String?
}

/// What all checks have come to.
package struct Examination: Sendable {
    package var outcomes: [CheckOutcome] = []
    package var findings: [Symptom] = []

    /// The worst of the findings.
    package var verdict: Symptom.Severity { findings.map(\.severity).max() ?? .ok }
}
