package import Clocks

/// Policies about the home as a whole.
package enum HomePolicies {
    /// A gateway that cannot be reached stops the sessions of every merchant that uses it.
    ///
    /// A look in between may meet a moment's trouble: it is critical once it has lasted an hour.
    package static func gateway(
        _ environment: EnvironmentName, failingSince since: Timestamp, why: String,
        at now: Timestamp
    ) -> Finding {
        Finding(
            .gateway, now >= since.adding(seconds: 3_600) ? .critical : .warning,
            subject: environment.text,
            summary: "the gateway of \(environment) cannot be reached since \(since)"
                + (why.isEmpty ? "" : ": \(why)"),
            remedy: "look at the network between this machine and Apple: purser doctor --network")
    }

    /// A watch that has run must go on: nobody else tells of an expiry.
    ///
    /// It speaks after 48 hours: what a weekend of a daily schedule may take, with room. A run in
    /// the future comes from a wrong clock, then or now: it says nothing of the watch.
    /// `failingSince`: since when every run has failed, and `why` the last one did.
    package static func watchAsleep(
        lastRun: Timestamp, failingSince since: Timestamp? = nil, why: String = "",
        at now: Timestamp
    ) -> Finding? {
        if lastRun > now.adding(seconds: 3_600) {
            return Finding(
                .watchAsleep, .warning, summary: "the watch last ran in the future: see the clock",
                remedy: "set this machine's clock, then run: purser watch --once")
        }
        let days = now.days(since: lastRun)
        if days < 2, let since, now > since.adding(days: 1) {
            return Finding(
                .watchAsleep, .warning,
                summary: "the watch fails since \(since)" + (why.isEmpty ? "" : ": \(why)"),
                remedy: "run it by hand and do what it says: purser watch --once")
        }
        guard days >= 2 else { return nil }
        return Finding(
            .watchAsleep, .warning, summary: "the watch has not run for \(days) days",
            remedy: "see why its timer does not run: systemctl status purser-watch.timer")
    }

    /// Alerts that somebody has set up, and a watch that was never started, look like peace.
    ///
    /// A home of less than 48 hours is still being set up.
    package static func watchNeverRan(homeMadeAt made: Timestamp, at now: Timestamp) -> Finding? {
        guard now.days(since: made) >= 2 else { return nil }
        return Finding(
            .watchAsleep, .warning,
            summary: "alerts are set up in the settings, and the watch has never run",
            remedy: "start its timer: systemctl enable --now purser-watch.timer")
    }

    /// An alert that its receiver does not take might as well not have been raised.
    package static func alertUndelivered(
        count: Int, channels: [String], since: Timestamp
    ) -> Finding? {
        guard count > 0 else { return nil }
        let names = channels.prefix(3).joined(separator: ", ")
        return Finding(
            .alertUndelivered, .warning, subject: "alerts",
            summary:
                "\(count) alert\(count == 1 ? " has" : "s have") not been taken since \(since) by "
                + names,
            remedy: "see why: purser alert list")
    }
}
