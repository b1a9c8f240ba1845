/// How long the parts of a rotation wait; whole days.
package struct RotationPeriods: Sendable, Hashable {
    /// How long a superseded identity stays as the way back (7 by default).
    package var graceDays: Int64
    /// How long no payment token may have been seen under a superseded processing key before it is
    /// retired (14 by default).
    package var quietDays: Int64
    /// How long a retired processing key that was in use is kept at least (30 by default): tokens
    /// of late captures and of queues that stood still.
    package var retentionDays: Int64
    /// After how many days without a step a rotation counts as stalled (14 by default).
    package var stallDays: Int64

    package init(
        graceDays: Int64 = 7, quietDays: Int64 = 14, retentionDays: Int64 = 30,
        stallDays: Int64 = 14
    ) {
        self.graceDays = graceDays
        self.quietDays = quietDays
        self.retentionDays = retentionDays
        self.stallDays = stallDays
    }
}
