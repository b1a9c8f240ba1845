import Problems
import Sessions
import Settings
import Transfers

extension Invocation {
    /// Runs `body` with a desk for one-shot sessions, and closes its connections afterwards.
    ///
    /// - Throws: ``SettingsError``, ``TransferError`` when the network part cannot start, and what
    ///   `body` throws.
    func withDesk<Result: Sendable>(
        roster: Roster = Roster([], known: []), _ body: (SessionDesk) async throws -> Result
    ) async throws -> Result {
        let settings = try await loadSettings().settings
        let loop = try TransferLoop()
        let desk = SessionDesk(
            roster: roster, loop: loop, budget: SessionDesk.Budget(settings))
        let outcome: Swift.Result<Result, any Error>
        do {
            outcome = .success(try await body(desk))
        } catch {
            outcome = .failure(error)
        }
        desk.close()
        await loop.shutDown()
        return try outcome.get()
    }

    /// Tells of an error that is not this command's failure.
    func log(_ error: any Error) {
        let report = ErrorReport(error, reference: context.makeReference())
        warn("\(report.code): \(report.summary)", hint: report.remedy)
    }
}

extension SessionDesk.Budget {
    /// What the settings allow.
    init(_ settings: Settings) {
        self.init(
            connect: .seconds(settings.session.connectTimeoutSeconds),
            total: .seconds(settings.session.totalTimeoutSeconds))
        inFlight = settings.serve.maximumInFlight
        addressFamily =
            switch settings.session.addressFamily {
            case .any: .any
            case .ipv4: .ipv4
            case .ipv6: .ipv6
            }
    }
}
