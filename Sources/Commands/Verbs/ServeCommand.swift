import API
import Clocks
import Daemon
import Issuance
import Sessions
import Settings
import Transfers
import Vault
import Watch
import WebServer

/// `purser serve`.
enum ServeCommand {
    static let listen = Option(
        "listen", "ADDRESS",
        "numeric address or localhost, with a port, or unix:PATH (default: 127.0.0.1:8765)",
        isRepeated: true)

    static let verb = Verb(
        "serve", summary: "answer requests for merchant sessions over HTTP",
        discussion: [
            "Callers on this machine itself may ask for sessions, health and metrics; all other calls need "
                + "an API token, and all calls do that come from elsewhere or through a proxy. It speaks "
                + "plain HTTP: beyond loopback a reverse proxy ends TLS. It runs until SIGTERM or "
                + "SIGINT, answers what has begun, and ends; a second signal ends it at once. Changes "
                + "made by other commands are in force within a second; SIGHUP looks for them at once. "
                + "Settings are read at the start.",
            "Sockets that systemd passes (socket activation) take the place of the default address; "
                + "addresses that --listen or the settings name are served beside them.",
            "With watch.inServe it is the watch, too: see purser watch.",
            "Each request is one JSON line on standard error. Under systemd it tells when it is ready.",
        ],
        options: [listen],
        examples: [
            Example("purser serve", "serve on 127.0.0.1:8765"),
            Example("purser serve --listen unix:/run/purser/http.sock", "serve on a Unix socket"),
        ],
        needs: .key, run: run)

    static func run(_ invocation: Invocation) async throws {
        let passed = try PassedDescriptor.takeAll(environment: invocation.context.environment)
        // From here on a signal asks for a drain and kills no more.
        let signals = await TerminationSignals()
        let manager = try ServiceNotification(environment: invocation.context.environment)
        _ = OpenFiles.raiseLimit()
        let unlocked = try await invocation.unlockHome(tellingOfRotation: false)
        let resolved = try await invocation.loadSettings()
        let settings = resolved.settings
        let listening = try ListeningPlaces(resolved, passed: passed)
        let journal = Journal(invocation.context, level: settings.log.level)
        if unlocked.isRotationInterrupted { journal.error(VaultError.rotationUnfinished) }
        do {
            try await unlocked.home.settleAll(vault: unlocked.vault) { journal.error($0) }
            let service = try await Service(
                unlocked, settings: settings, listening: listening, manager: manager,
                journal: journal)
            let loop = try TransferLoop()
            let watch = invocation.watch(unlocked, settings, journal, on: loop)
            try await service.run(until: signals, beside: watch)
            await loop.shutDown()
        } catch {
            await journal.flush()
            throw error
        }
        await journal.flush()
    }
}

extension Invocation {
    /// The watch within the service, where the settings ask for it; its rounds stand in the log.
    fileprivate func watch(
        _ unlocked: UnlockedHome, _ settings: Settings, _ journal: Journal, on loop: TransferLoop
    ) -> WatchLoop? {
        guard settings.watch.inServe > 0 else { return nil }
        let context = self.context
        let round: @Sendable () async throws -> WatchRound.Outcome = {
            try await watchOnce(
                unlocked.home, settings, checks: watchChecks(unlocked, settings, loop), on: loop)
        }
        return WatchLoop(round: round, interval: .seconds(settings.watch.inServe)) { outcome in
            do {
                let done = try outcome.get()
                for failure in done.allFailures { journal.error(failure) }
                let report = WatchReport(
                    done, at: context.clock.now, reference: context.makeReference())
                journal.note("watched", report.line)
            } catch {
                journal.error(error)
            }
        }
    }
}
