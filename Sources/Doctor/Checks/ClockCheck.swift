import Clocks
import Database
import Issuance
import Ledger

/// The clock is not behind the home's own history, not absurd, and kept in step with others.
enum ClockCheck {
    static let check = Check("clock") { patient in
        var findings = Findings("clock")
        let now = patient.clock.now
        let remedy = "set this machine's clock, and have it kept by NTP: timedatectl set-ntp true"
        if now < earliest || now > latest {
            findings.add(
                .critical, "clock", "it says \(now), which cannot be", remedy: remedy)
        }
        if case .open(let home) = patient.records {
            let last = try await home.database.read {
                try Ledger.list(LedgerFilter(limit: 1), in: $0).last
            }
            if let at = last?.at, let newest = Timestamp(rfc3339: at),
                now.adding(seconds: tolerance) < newest
            {
                findings.add(
                    .critical, "clock",
                    "it says \(now), and the ledger's newest entry is of \(newest)",
                    remedy: remedy)
            }
        }
        // A note: virtual machines whose host keeps their clock say so, too.
        if patient.machine.clockIsSynchronised == false {
            findings.add(
                .ok, "clock", "the kernel does not know whether it is in step with others",
                remedy:
                    "unless the host of this virtual machine sees to it: timedatectl set-ntp true")
        }
        return findings.all
    }

    /// Purser did not exist before 2026.
    private static let earliest = Timestamp(seconds: 1_767_225_600)
    /// 2100: no certificate of today is valid then.
    private static let latest = Timestamp(seconds: 4_102_444_800)
    /// What several machines that share a home may differ by.
    private static let tolerance: Int64 = 5
}
