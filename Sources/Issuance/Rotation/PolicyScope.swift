package import Merchants

/// By which windows and periods the policies judge.
package struct PolicyScope: Sendable, Hashable {
    package var windows: WindowTable
    package var periods: RotationPeriods

    package init(
        windows: WindowTable = WindowTable(), periods: RotationPeriods = RotationPeriods()
    ) {
        self.windows = windows
        self.periods = periods
    }
}
