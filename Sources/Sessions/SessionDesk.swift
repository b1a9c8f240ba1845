import Locks
package import Merchants
package import Transfers

/// A session as Apple gave it.
package struct MerchantSession: Sendable {
    /// Apple's own bytes, opaque JSON, which serve one payment and are never kept.
    package let bytes: [UInt8]
    package let merchant: MerchantIdentifier
    package let environment: EnvironmentName
    /// 1, or 2 after a retry.
    package let attempts: Int
    package let connectionReused: Bool
}

/// The checkout's path to Apple's gateway.
///
/// Each identity has a pool of connections of its own at each gateway, so that no request rides on
/// another merchant's connection or TLS session. A new roster is in force for the next order;
/// requests in flight finish with what they began with.
package final class SessionDesk: Sendable {
    /// How long the path to Apple may take.
    package struct Budget: Sendable {
        /// Until the connection stands (3 s).
        package var connect: Duration
        /// For everything, a retry included (10 s); the browser's sheet waits 30 s.
        package var total: Duration

        package init(connect: Duration = .seconds(3), total: Duration = .seconds(10)) {
            self.connect = connect
            self.total = total
        }
    }

    private struct State {
        var roster: Roster
        /// One set for each loop: a request must not wait for another loop's connections.
        var pools: [[Route: ConnectionPool]]
    }

    private let loops: [TransferLoop]
    private let budget: Budget
    private let state: Locked<State>

    package convenience init(roster: Roster, loop: TransferLoop, budget: Budget = Budget()) {
        self.init(roster: roster, loops: [loop], budget: budget)
    }

    /// A desk whose orders may come in on several event loops, and go out on the same.
    package init(roster: Roster, loops: [TransferLoop], budget: Budget = Budget()) {
        self.loops = loops
        self.budget = budget
        state = Locked(State(roster: roster, pools: loops.map { _ in [:] }))
    }

    /// What is in force.
    package var roster: Roster { state.withLock { $0.roster } }

    /// Puts a new roster into force; connections of identities that are gone are closed once they
    /// are idle.
    package func replace(roster: Roster) {
        let routes = roster.routes
        let gone = state.withLock { state in
            state.roster = roster
            var gone: [ConnectionPool] = []
            for loop in state.pools.indices {
                for (route, pool) in state.pools[loop] where !routes.contains(route) {
                    state.pools[loop][route] = nil
                    gone.append(pool)
                }
            }
            return gone
        }
        for pool in gone { pool.close() }
    }

    /// Asks Apple for one session, over the connections of one of the loops.
    ///
    /// One retry, and only where the request failed before an answer or Apple answered with 5xx,
    /// inside the total budget.
    ///
    /// - Throws: ``SessionError``.
    package func session(
        for order: SessionOrder, onLoop loop: Int = 0
    ) async throws(SessionError) -> MerchantSession {
        let roster = roster
        let ticket = try roster.resolve(order)
        return try await session(for: ticket, onLoop: loop, hashes: roster.hashes)
    }

    private func session(
        for ticket: Roster.Ticket, onLoop loop: Int, hashes: MerchantHashes
    ) async throws(SessionError) -> MerchantSession {
        let start = ContinuousClock.now
        var attempt = 1
        while true {
            let left = budget.total - (ContinuousClock.now - start)
            do throws(AttemptFailure) {
                return try await self.attempt(
                    attempt, ticket, onLoop: loop, within: left, hashes: hashes)
            } catch {
                guard attempt == 1, error.mayRetry,
                    budget.total - (ContinuousClock.now - start) > .milliseconds(200)
                else { throw error.reason }
                attempt = 2
            }
        }
    }

    private struct AttemptFailure: Error {
        let reason: SessionError
        let mayRetry: Bool
    }

    private func attempt(
        _ number: Int, _ ticket: Roster.Ticket, onLoop loop: Int, within left: Duration,
        hashes: MerchantHashes
    ) async throws(AttemptFailure) -> MerchantSession {
        let gateway = ticket.environment.gateway
        var request = TransferRequest(
            .post, gateway.paymentSessionURL,
            headers: [
                HeaderField("Content-Type", "application/json"),
                HeaderField("Accept", "application/json"),
            ], body: ticket.body, timeLimit: left)
        // Where one kept connection was found closed, the next may be closed as well.
        request.onNewConnection = number > 1
        let response: TransferResponse
        do throws(TransferError) {
            do throws(TransferError) {
                response = try await pool(for: ticket, onLoop: loop).send(request)
            } catch .poolClosed {
                // The identity was superseded between choosing the pool and using it.
                response = try await pool(for: ticket, onLoop: loop).send(request)
            }
        } catch {
            throw AttemptFailure(
                reason: TransferFault.sessionError(for: error, gateway: gateway),
                mayRetry: TransferFault.mayRetry(error))
        }
        do throws(SessionError) {
            let bytes = try GatewayAnswer.session(
                status: response.status, body: response.body, hashes: hashes)
            return MerchantSession(
                bytes: bytes, merchant: ticket.merchant, environment: ticket.environment.name,
                attempts: number, connectionReused: response.connectionReused)
        } catch {
            if case .appleFailed = error { throw AttemptFailure(reason: error, mayRetry: true) }
            throw AttemptFailure(reason: error, mayRetry: false)
        }
    }

    private func pool(for ticket: Roster.Ticket, onLoop loop: Int) -> ConnectionPool {
        let route = Route(
            fingerprint: ticket.identity.fingerprint, environment: ticket.environment)
        if let pool = state.withLock({ $0.pools[loop][route] }) { return pool }
        let made = loops[loop].pool(configuration(for: ticket))
        let (kept, surplus) = state.withLock { state -> (ConnectionPool, ConnectionPool?) in
            if let other = state.pools[loop][route] { return (other, made) }
            // An order that was resolved just before a change must not leave a pool behind.
            if state.roster.routes.contains(route) { state.pools[loop][route] = made }
            return (made, nil)
        }
        surplus?.close()
        return kept
    }

    private func configuration(for ticket: Roster.Ticket) -> PoolConfiguration {
        let bundle = ticket.environment.gatewayCA.map { ServerTrust.bundle(pem: Array($0.utf8)) }
        var configuration = PoolConfiguration(
            identity: ticket.identity.client, trust: bundle ?? .systemBundle)
        configuration.proxy = ticket.environment.proxy
        configuration.connectTimeout = budget.connect
        configuration.totalTimeout = budget.total
        return configuration
    }
}

// MARK: - Rehearsals

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

    /// Closes all pools; requests in flight finish.
    package func close() {
        let pools = state.withLock { state in
            defer { state.pools = loops.map { _ in [:] } }
            return state.pools.flatMap(\.values)
        }
        for pool in pools { pool.close() }
    }
}
