package import Merchants
import Transfers

extension SessionDesk {
    /// Proves an identity that is not selected yet, with one real session for a registered domain.
    ///
    /// It uses a connection of its own, closed afterwards, so nothing that serves is touched.
    package func rehearse(
        _ identity: ActiveIdentity, as merchant: Merchant, domain: DomainName,
        at environment: GatewayEnvironment
    ) async -> RehearsalVerdict {
        let rehearsal = SessionDesk(
            roster: Roster(
                [
                    Roster.Entry(
                        merchant: merchant, domains: [domain], environments: [environment],
                        identity: .ready(identity))
                ], known: [merchant.identifier]),
            loops: loops, budget: budget)
        defer { rehearsal.close() }
        do throws(SessionError) {
            _ = try await rehearsal.session(
                for: SessionOrder(domain: domain, merchant: merchant.identifier))
            return .proven
        } catch {
            return RehearsalVerdict(error)
        }
    }
}
