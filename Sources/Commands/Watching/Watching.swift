import Clocks
import Issuance
import Locks
import Merchants
import Settings
import Transfers
import Vault
import Watch

extension Invocation {
    /// Makes a round of the watch over an open home, as the settings have it.
    ///
    /// `checks` look beyond the database; what they saw is in the policies' findings after them. The
    /// files of passwords and secrets are read in each round: one that was mended is in use by the
    /// next.
    ///
    /// - Throws: as ``WatchRound/run(waiting:)``.
    func watchOnce(
        _ home: OpenHome, _ settings: Settings, checks: [any WatchCheck], on loop: TransferLoop
    ) async throws -> WatchRound.Outcome {
        let receivers = await AlertReceivers(
            settings.alerts, AlertFiles(settings.alerts, self), on: loop)
        defer { receivers.close() }
        let scope = PolicyScope(windows: settings.windows, periods: settings.periods)
        let round = WatchRound(
            home: home, checks: checks, channels: receivers.channels,
            textfile: receivers.textfile?.sparing(
                home: home.layout.path, filesRead(settings)),
            heartbeat: receivers.heartbeat
        ) {
            let now = home.clock.now
            let found = Locked<[Finding]>([])
            try await home.forEachFinding(scope) { finding in
                // Most findings say that all is well: they are not kept.
                guard AlertLadder.stage(of: finding, at: now) != nil else { return }
                found.withLock { $0.append(finding) }
            }
            return found.withLock { $0 }
        }
        return try await round.run()
    }

    /// Every file that the settings name to be read, and the settings themselves.
    private func filesRead(_ settings: Settings) -> [String] {
        let alerts = settings.alerts
        let named = [
            settings.masterKeyFile, settings.passphraseFile, settings.recoveryKeyFile,
            alerts.mail.passwordFile, alerts.mail.caFile, alerts.webhook.secretFile,
            alerts.webhook.caFile, alerts.heartbeat.caFile,
        ]
        return named.compactMap { $0.map(context.absolute) } + [settingsPath]
    }
}

/// Rounds of the watch, one after the other, for as long as its task lives.
struct WatchLoop: Sendable {
    let round: @Sendable () async throws -> WatchRound.Outcome
    let interval: Duration
    /// Told after each round.
    let tell: @Sendable (Result<WatchRound.Outcome, any Error>) async -> Void

    /// Returns when its task is cancelled; what a round was at then is done again by the next.
    func run() async {
        while !Task.isCancelled {
            let outcome: Result<WatchRound.Outcome, any Error>
            do {
                outcome = .success(try await round())
            } catch {
                outcome = .failure(error)
            }
            if Task.isCancelled { return }
            await tell(outcome)
            try? await Task.sleep(for: interval)
        }
    }
}
