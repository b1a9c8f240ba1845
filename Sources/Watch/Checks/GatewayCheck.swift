import Clocks
import Database
import Issuance
import Merchants
import Problems
import Registry
import Sessions
import Transfers

/// Whether each gateway that merchants in service use can be reached and is trusted.
///
/// No identity is shown, so a healthy gateway answers with any status, or refuses by an alert about
/// the missing certificate. Outcomes: `healthy`, `failed`.
struct GatewayCheck {
    let checks: NetworkChecks
    let watched: Watched

    init(checks: NetworkChecks, _ watched: Watched) {
        (self.checks, self.watched) = (checks, watched)
    }

    func run(until deadline: ContinuousClock.Instant) async -> [any Error] {
        let checks = checks
        let work = SideBySide(width: checks.limits.width, deadline: deadline)
        let (seen, left) = await work.work(on: watched.environments) { environment in
            await Self.look(at: environment, checks)
        }
        var errors: [any Error] = []
        if left > 0 { errors.append(NetworkCheckError.outOfTime(check: "gateways", left: left)) }
        do {
            try await checks.record(seen)
            try await forgetUnused()
        } catch {
            errors.append(error)
        }
        return errors
    }

    private static func look(
        at environment: GatewayEnvironment, _ checks: NetworkChecks
    ) async -> Observation {
        let bundle = environment.gatewayCA.map { ServerTrust.bundle(pem: Array($0.utf8)) }
        var configuration = PoolConfiguration(identity: nil, trust: bundle ?? .systemBundle)
        configuration.proxy = environment.proxy
        configuration.publicAddressesOnly = environment.isBuiltIn
        configuration.addressFamily = checks.sessions.addressFamily
        configuration.totalTimeout = checks.limits.each
        let pool = checks.loop.pool(configuration)
        defer { pool.close() }
        var failure: TransferError?
        // Twice, so that one lost packet is no outage.
        for _ in 1...2 {
            failure = await Self.failure(of: environment.gateway, through: pool)
            guard let failure, Self.maySucceedSoon(failure) else { break }
        }
        return Observation(
            .gateway, of: environment.name.text, outcome: failure == nil ? "healthy" : "failed",
            detail: failure?.summary ?? "", at: checks.home.clock.now)
    }

    private static func failure(
        of gateway: GatewayAddress, through pool: ConnectionPool
    ) async -> TransferError? {
        do throws(TransferError) {
            _ = try await pool.send(TransferRequest(.get, gateway.description + "/"))
            return nil
        } catch .tlsAlert(let alert) where alert.concernsClientCertificate {
            return nil
        } catch {
            return error
        }
    }

    private static func maySucceedSoon(_ error: TransferError) -> Bool {
        switch error {
        case .serverUntrusted, .serverNameMismatch, .trustUnusable, .answerTimedOut, .cancelled,
            .addressRefused,
            .shutDown, .connectTimedOut:
            false
        default: true
        }
    }

    /// A gateway that nobody uses any more has no health to be told of.
    private func forgetUnused() async throws {
        let used = Set(watched.environments.map(\.name.text))
        let known = try await checks.home.database.read {
            try Observations.list(.gateway, in: $0).map(\.subject)
        }
        guard !used.isSuperset(of: known) else { return }
        try await checks.home.database.write {
            try Observations.forget(.gateway, except: used, in: $0)
        }
    }
}
