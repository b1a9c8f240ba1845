import Clocks
import Database
import Issuance
import Merchants
import Registry

/// Whether each domain's site serves its association file as Apple wants it, looked at now and then;
/// what was not right is looked at again soon, and what was kept since at once.
///
/// Outcomes: those of `SiteOutcome`.
struct SiteCheck {
    let checks: NetworkChecks
    let seen: [String: Observation]

    init(checks: NetworkChecks, _ watched: Watched) {
        self.checks = checks
        seen = watched.seen[.site] ?? [:]
    }

    func run(until deadline: ContinuousClock.Instant) async -> [any Error] {
        guard checks.limits.domainHours > 0 else { return [] }
        var errors: [any Error] = []
        do {
            let sites = try await Site.list(of: nil, in: checks.home) { errors.append($0) }
            let now = checks.home.clock.now
            let due = sites.filter { isDue($0, at: now) }.sorted { lastLook($0) < lastLook($1) }
            let survey = SiteSurvey(
                home: checks.home, loop: checks.loop, each: checks.limits.each,
                width: checks.limits.width)
            let (looks, left) = await survey.looks(at: due, until: deadline)
            if left > 0 { errors.append(NetworkCheckError.outOfTime(check: "domains", left: left)) }
            try await checks.record(looks.map(\.observation))
            try await forget(except: Set(sites.map(\.subject)), damaged: !errors.isEmpty)
        } catch {
            errors.append(error)
        }
        return errors
    }

    private func lastLook(_ site: Site) -> Int64 { seen[site.subject]?.at.seconds ?? .min }

    private func isDue(_ site: Site, at now: Timestamp) -> Bool {
        guard let look = seen[site.subject] else { return true }
        if let kept = site.kept, kept.addedAt >= look.at { return true }
        let hours = Int64(checks.limits.domainHours) * 3_600
        let pause =
            look.outcome == SiteOutcome.served.rawValue
            ? hours : min(hours, checks.limits.repeatAfter)
        // A look in the future: the clock was put back since.
        return look.at > now || look.at.adding(seconds: pause) <= now
    }

    /// A domain that is gone has no site to be told of; but one that could not be read is not gone.
    private func forget(except subjects: Set<String>, damaged: Bool) async throws {
        guard !damaged, !subjects.isSuperset(of: seen.keys), !Task.isCancelled else { return }
        try await checks.home.database.write {
            try Observations.forget(.site, except: subjects, in: $0)
        }
    }
}
