import Database
package import Issuance
import Merchants
import Registry
package import Sessions
package import Transfers
package import Vault

/// What the watch asks beyond the database: issuers about revocation, Apple about each identity in
/// use, each gateway whether it answers, and each domain's site for its association file.
///
/// What was seen stands in `observations` afterwards; the policies judge it. The checks run side by
/// side, each writes once at its end (every write makes services look at the database), and none
/// stops another.
package struct NetworkChecks: Sendable {
    /// How much is done at once, and for how long.
    package struct Limits: Sendable {
        /// Hours after which an identity in use is rehearsed again: 24; 0 for never.
        package var rehearseHours = 24
        /// Hours after which a domain's site is looked at again: 24; 0 for never.
        package var domainHours = 24
        /// Seconds after which an issuer is asked again about a certificate that was good: 50
        /// minutes, so that a watch each hour asks each time.
        package var askAfter: Int64 = 3_000
        /// Seconds after which a rehearsal or a question is repeated that did not end well: 10
        /// minutes, however often the watch runs.
        package var repeatAfter: Int64 = 600
        /// After this nothing new is begun; what is left comes first the next time: 2 minutes.
        package var total = Duration.seconds(120)
        /// For one question to a responder or a gateway: 10 seconds.
        package var each = Duration.seconds(10)
        /// Questions of one check under way at once: 8.
        package var width = 8

        package init() {}
    }

    let home: OpenHome
    let vault: Vault
    let loop: TransferLoop
    let sessions: SessionDesk.Budget
    let limits: Limits

    /// The checks of a home that is open for writing.
    ///
    /// `sessions` is how long a rehearsal may take.
    package init(
        home: OpenHome, vault: Vault, loop: TransferLoop,
        sessions: SessionDesk.Budget = SessionDesk.Budget(), limits: Limits = Limits()
    ) {
        self.home = home
        self.vault = vault
        self.loop = loop
        self.sessions = sessions
        self.limits = limits
    }

    /// Runs all checks once and records what they saw.
    ///
    /// - Returns: what kept a check from seeing something, to be logged: records or keys that cannot
    ///   be read, an issuer that is not known or cannot be asked, a database that cannot be written.
    ///   What Apple answered, or that it did not, is an observation and no error.
    package func run() async -> [any Error] {
        let deadline = ContinuousClock.now + limits.total
        let watched: Watched
        do {
            watched = try await home.database.read { try Watched(in: $0) }
        } catch {
            return [error]
        }
        let errors = await withTaskGroup(of: [any Error].self) { group in
            group.addTask { await OCSPCheck(checks: self, watched).run(until: deadline) }
            group.addTask { await RehearsalCheck(checks: self, watched).run(until: deadline) }
            group.addTask { await GatewayCheck(checks: self, watched).run(until: deadline) }
            group.addTask { await SiteCheck(checks: self, watched).run(until: deadline) }
            return await group.reduce(into: []) { $0 += $1 }
        }
        return watched.damage + errors
    }

    /// Records looks in one transaction, unless the run was given up: then they say nothing.
    ///
    /// `isKept`: whether what is on record stays instead.
    func record(
        _ seen: [Observation],
        unless isKept: @Sendable (_ known: Observation, _ new: Observation) -> Bool = { _, _ in
            false
        }
    ) async throws {
        guard !seen.isEmpty, !Task.isCancelled else { return }
        try await home.database.write { transaction in
            for new in seen {
                // Read again: another watch may have been faster.
                if let known = try Observations.find(new.sort, of: new.subject, in: transaction),
                    isKept(known, new)
                {
                    continue
                }
                try Observations.record(new, in: transaction)
            }
        }
    }
}
