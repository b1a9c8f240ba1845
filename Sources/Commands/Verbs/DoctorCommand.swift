import Clocks
import Database
import Doctor
import Issuance
import Ledger
import Problems
import Settings
import Vault
import Watch

/// `purser doctor`.
enum DoctorCommand {
    static let network = Option(
        flag: "network", "look at the gateways in use, too: names, TCP, TLS, certificates")

    static let verb = Verb(
        "doctor",
        summary: "look for everything that may be wrong with the home, and say what to do",
        discussion: [
            "It looks at permissions, names, settings, the files of alerts, database, ledger, master key, keys, side "
                + "files, certificates, trust roots, clock, disk, core dumps and swap. It repairs nothing. Notes "
                + "are told beside warnings and what is critical; they leave the status at 0.",
            "Without the master key it looks at all that needs none, and says what it left out.",
        ],
        options: [network],
        examples: [Example("purser doctor --network", "look at the home and at Apple's gateways")],
        statuses: [
            NamedStatus(0, "nothing is wrong, notes apart"),
            NamedStatus(69, "something is wrong with a gateway, or with the way there, alone"),
            NamedStatus(78, "something is wrong: each finding says what, and what to do"),
        ],
        needs: .home, run: run)

    static func run(_ invocation: Invocation) async throws {
        let examination = await Doctor.examine(try await patient(invocation))
        try invocation.print(DoctorReport(examination))
        let wrong = examination.findings.filter { $0.severity > .ok }
        guard !wrong.isEmpty else { return }
        throw CommandStatus(wrong.allSatisfy { $0.check == "network" } ? 69 : 78)
    }

    /// Opens what can be opened; what cannot is a finding and no failure.
    private static func patient(_ invocation: Invocation) async throws -> Patient {
        let actor = LedgerActor.current()
        let layout = invocation.layout
        try HomeGuard.admit(layout)
        // Files that flags name are read as who asks, before the home is entered.
        let named = await attempt { try await invocation.namedUnlocker() }
        try invocation.enterHome()
        let clock = invocation.context.clock
        let records = await attempt {
            try await OpenHome.openForExamination(layout, clock: clock, actor: actor)
        }
        let secret: Result<UnlockSecret?, any Error>
        if case .success(nil) = named {
            secret = await attempt { try await invocation.storedUnlocker() }
        } else {
            secret = named
        }
        return Patient(
            layout: layout, clock: clock, records: access(records),
            keys: await keys(layout, secret),
            settings: (invocation.settingsPath, await settingProblems(invocation)),
            alerts: await alertFaults(invocation),
            alertReach: await alertReach(invocation), machine: .live(home: layout.path),
            withNetwork: invocation.isSet(network))
    }

    /// As the home's owner, which the watch runs as, too.
    private static func alertFaults(_ invocation: Invocation) async -> [Patient.AlertFault] {
        // Settings that cannot be read are told by their own check.
        guard let settings = try? await invocation.loadSettings().settings else { return [] }
        var faults: [Patient.AlertFault] = []
        for (name, error) in await AlertFiles(settings.alerts, invocation).faults() {
            var isElsewhere = false
            if case .credentialMissing = error { isElsewhere = invocation.credentialsFolder == nil }
            faults.append(
                .init(setting: name.rawValue, error: error, isElsewhere: isElsewhere))
        }
        return faults
    }

    private static func keys(
        _ layout: HomeLayout, _ secret: Result<UnlockSecret?, any Error>
    ) async -> Patient.Access<Vault> {
        switch secret {
        case .failure(let error): return .failed(error)
        case .success(nil): return .closed(because: "no master key was given")
        case .success(let secret?):
            return access(
                await attempt { try await onOwnThread { try Vault.open(layout, secret: secret) } })
        }
    }

    private static func settingProblems(_ invocation: Invocation) async -> [any Error] {
        let (survey, unreadable) = await invocation.surveySettings(withHomeFile: true)
        return [unreadable, survey.error].compactMap { $0 }
    }

    /// Settings that cannot be used are another check's.
    private static func alertReach(_ invocation: Invocation) async -> Patient.AlertReach {
        guard let settings = try? await invocation.loadSettings().settings.alerts,
            settings.textfile == nil, settings.webhook.url == nil, settings.mail.security.isEmpty
        else { return .everything }
        if settings.mail.server != nil { return .ownersAlone }
        return settings.heartbeat.url == nil ? .everything : .nobody
    }

    private static func attempt<Value: Sendable>(
        _ body: () async throws -> Value
    ) async -> Result<Value, any Error> {
        do { return .success(try await body()) } catch { return .failure(error) }
    }

    private static func access<Thing: Sendable>(
        _ result: Result<Thing, any Error>
    ) -> Patient.Access<Thing> {
        switch result {
        case .success(let thing): .open(thing)
        case .failure(let error): .failed(error)
        }
    }
}
