package import Merchants

extension Settings {
    /// When expiries begin to matter, for whom.
    package var windows: WindowTable {
        WindowTable(
            standard: Windows(
                dueDays: Int64(check.dueDays), warningDays: Int64(check.warningDays),
                criticalDays: Int64(check.criticalDays)), exceptions: check.windows)
    }

    /// How long the parts of a rotation wait.
    package var periods: RotationPeriods {
        RotationPeriods(
            graceDays: Int64(rotation.graceDays), quietDays: Int64(rotation.quietDays),
            retentionDays: Int64(rotation.retentionDays), stallDays: Int64(rotation.stallDays))
    }
}
