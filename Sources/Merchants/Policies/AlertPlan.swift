package import Clocks

/// What becomes of the open alerts when these are the findings: pure.
package struct AlertPlan: Sendable, Hashable {
    package private(set) var raised: [Alert] = []
    /// Open alerts of which something has changed.
    package private(set) var changed: [Alert] = []
    /// Alerts that no finding speaks of any more, with the time.
    package private(set) var resolved: [Alert] = []
    /// All that are open afterwards, in the order of the findings.
    package private(set) var open: [Alert] = []

    /// What tells one alert from another.
    private struct Key: Hashable {
        let merchant: MerchantIdentifier?
        let kind: CredentialKind?
        let policy: PolicyName
        let episode: String
    }

    /// Compares all findings with all open alerts.
    ///
    /// Of several findings that would be one alert the most urgent counts.
    package init(findings: [Finding], open before: [Alert], at now: Timestamp) {
        var known: [Key: Alert] = [:]
        for alert in before {
            known[
                Key(
                    merchant: alert.merchant, kind: alert.kind, policy: alert.policy,
                    episode: alert.episode)] = alert
        }
        var places: [Key: Int] = [:]
        var worth: [(Key, Finding, AlertStage)] = []
        for finding in findings {
            guard let stage = AlertLadder.stage(of: finding, at: now) else { continue }
            let key = Key(
                merchant: finding.merchant, kind: finding.kind, policy: finding.policy,
                episode: finding.episode)
            if let place = places[key] {
                if finding.urgency > worth[place].1.urgency { worth[place] = (key, finding, stage) }
            } else {
                places[key] = worth.count
                worth.append((key, finding, stage))
            }
        }
        for (key, finding, stage) in worth {
            guard let alert = known[key] else {
                let alert = Alert(finding, stage: stage, at: now)
                raised.append(alert)
                open.append(alert)
                continue
            }
            var updated = alert
            updated.update(finding, stage: stage, at: now)
            if updated != alert { changed.append(updated) }
            open.append(updated)
        }
        let kept = Set(open.map(\.id))
        for alert in before where !kept.contains(alert.id) {
            var ended = alert
            ended.resolvedAt = now
            resolved.append(ended)
        }
    }

    /// Whether nothing is to be written.
    package var isEmpty: Bool { raised.isEmpty && changed.isEmpty && resolved.isEmpty }
}

extension Finding {
    /// What an alert of it belongs to, beside its merchant, kind and policy.
    ///
    /// What it is about where that is said; else the credential and its deadline, so that a new
    /// certificate is a new episode; else its summary without what counts up or down in it.
    package var episode: String {
        if let subject { return subject }
        if let credential {
            return deadline.map { "\(credential) \($0.seconds)" } ?? credential.text
        }
        let words = summary.split(separator: " ").filter { word in
            !word.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || "-+:.,;TZ%()".utf8.contains(byte)
            }
        }
        return words.joined(separator: " ")
    }
}
