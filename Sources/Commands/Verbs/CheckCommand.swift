import Clocks
import Database
import Issuance
import Locks
import Merchants
import Settings

/// `purser check`.
enum CheckCommand {
    static let verb = Verb(
        "check", summary: "say what needs somebody, with the statuses of a monitoring plug-in",
        discussion: [
            "It reads the database only: no network, no key; it writes and sends nothing. A certificate "
                + "with less than 30 days left is a warning, with less than 7 days critical "
                + "(check.warningDays, check.criticalDays, check.windows).",
            "What else is told: no certificate in use, one that waits for its activation at Apple, "
                + "several candidates, a rotation that stands still, Apple's limits, a domain that "
                + "Apple does not accept, and what the watch has seen. purser explain MERCHANT shows "
                + "every question with its answer.",
        ],
        examples: [
            Example(
                "purser check || mail -s 'Apple Pay' shop@example.com",
                "mail when something needs somebody")
        ],
        statuses: [
            NamedStatus(0, "ok"), NamedStatus(1, "warning"), NamedStatus(2, "critical"),
            NamedStatus(
                3, "unknown, or a failure of the check itself, a wrong command line included"),
        ],
        needs: .home, failureStatus: CommandStatus(3),
        // A monitoring system reads standard output; what is wrong stands on standard error too.
        failureLine: "PURSER UNKNOWN - the check itself failed", run: run)

    static func run(_ invocation: Invocation) async throws {
        // First the home: its settings are not to be read as root.
        let home = try await invocation.openHome(.readOnly)
        let scope = try await invocation.policyScope()
        let report = Locked(
            CheckReport(windows: scope.windows.standard, now: invocation.context.clock.now))
        try await home.forEachFinding(scope) { finding in report.withLock { $0.add(finding) } }
        let found = report.withLock { $0 }
        try invocation.print(found)
        if found.urgency != .fine { throw CommandStatus(Int32(found.urgency.rawValue)) }
    }
}

extension Invocation {
    /// By which windows and periods is judged.
    ///
    /// - Throws: ``SettingsError``.
    func policyScope() async throws -> PolicyScope {
        let settings = try await loadSettings().settings
        var scope = PolicyScope(windows: settings.windows, periods: settings.periods)
        scope.expectsWatch = settings.alerts.areConfigured
        return scope
    }
}
