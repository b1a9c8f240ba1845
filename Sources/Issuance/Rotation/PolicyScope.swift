package import Merchants

/// By which windows and periods the policies judge.
package struct PolicyScope: Sendable, Hashable {
    package var windows: WindowTable
    package var periods: RotationPeriods
    /// Whether the settings name anybody to be told of alerts, so that a watch is meant to run.
    package var expectsWatch = false

    package init(
        windows: WindowTable = WindowTable(), periods: RotationPeriods = RotationPeriods()
    ) {
        self.windows = windows
        self.periods = periods
    }
}
