import Locks
package import Merchants
package import Transfers

/// A session as Apple gave it.
package final class MerchantSession: Sendable {
    /// Apple's own bytes, opaque JSON, which serve one payment and are never kept.
    package let bytes: [UInt8]
    package let merchant: MerchantIdentifier
    package let environment: EnvironmentName
    /// How often Apple was asked: 1, or more after a retry or a refusal.
    package let attempts: Int
    package let connectionReused: Bool
    /// How long the request waited in this process for a connection, that it might be sent.
    package let waited: Duration
    /// How long the rest took: connecting, asking, and whatever was tried before.
    package let withApple: Duration
    /// Why Apple refused the identity in use, where the one before it got the session; nil nearly
    /// always.
    package let refusal: SessionError?

    init(
        bytes: [UInt8], merchant: MerchantIdentifier, environment: EnvironmentName, attempts: Int,
        connectionReused: Bool, waited: Duration, withApple: Duration, refusal: SessionError?
    ) {
        self.bytes = bytes
        self.merchant = merchant
        self.environment = environment
        self.attempts = attempts
        self.connectionReused = connectionReused
        self.waited = waited
        self.withApple = withApple
        self.refusal = refusal
    }
}

/// The checkout's path to Apple's gateway.
///
/// Each identity has a pool of connections of its own at each gateway, so that no request rides on
/// another merchant's connection or TLS session. A new roster is in force for the next order;
/// requests in flight finish with what they began with.
///
/// While the identity before the one in use is `retiring`, a session that Apple refuses as the
/// certificate's or the merchant's fault is asked for once more under it. The desk counts what only
/// the old identity got, and tells when that is reason enough to go back to it (``Rollback``).
package final class SessionDesk: Sendable {
    /// How long the path to Apple may take, how much of it there is, and by which IP it goes.
    package struct Budget: Sendable {
        /// Until the connection stands (3 s).
        package var connect: Duration
        /// For everything, retries included (10 s); the browser's sheet waits 30 s.
        package var total: Duration
        /// The version of IP that connections are made by.
        package var addressFamily = AddressFamily.any
        /// Sessions that are asked for at the same time; an identity gets as many as it leaves free.
        package var inFlight = 4_096

        package init(connect: Duration = .seconds(3), total: Duration = .seconds(10)) {
            self.connect = connect
            self.total = total
        }
    }

    private struct State {
        var roster: Roster
        /// The roster's, kept because they are looked up in the next change.
        var fallbackRoutes: Set<Route>
        /// One set for each loop: a request must not wait for another loop's connections.
        var pools: [[Route: ConnectionPool]]
        var standings: [Route: RouteStanding] = [:]

        mutating func standing(of route: Route) -> RouteStanding {
            if let known = standings[route] { return known }
            let new = RouteStanding()
            // As for pools: none for an order that was resolved before a change.
            if roster.routes.contains(route) { standings[route] = new }
            return new
        }
    }

    let loops: [TransferLoop]
    let budget: Budget
    private let room: SharedRoom
    private let onlooker = Onlooker()
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state: Locked<State>
    /// Apart from the rest, which every request looks at.
    private let count = Locked(RollbackCount())
    private let rollbackDue: @Sendable (Rollback, SessionError) -> Void

    package convenience init(roster: Roster, loop: TransferLoop, budget: Budget = Budget()) {
        self.init(roster: roster, loops: [loop], budget: budget)
    }

    /// A desk whose orders may come in on several event loops, and go out on the same.
    ///
    /// `rollbackDue` is told once for each run of ``RollbackCount/limit`` failures, with the last
    /// refusal, on the thread of the session that was the last of them: it must not wait. `now` is
    /// what circuits are opened and tried again by.
    package init(
        roster: Roster, loops: [TransferLoop], budget: Budget = Budget(),
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        rollbackDue: @escaping @Sendable (Rollback, SessionError) -> Void = { _, _ in }
    ) {
        self.loops = loops
        self.budget = budget
        self.now = now
        room = SharedRoom(limit: budget.inFlight)
        self.rollbackDue = rollbackDue
        state = Locked(
            State(
                roster: roster, fallbackRoutes: roster.fallbackRoutes,
                pools: loops.map { _ in [:] }))
    }

    /// What is in force.
    package var roster: Roster { state.withLock { $0.roster } }

    /// Puts a new roster into force; connections of identities that are gone, or have become a
    /// fallback, are closed once they are idle.
    package func replace(roster: Roster) {
        let (routes, fallbacks) = (roster.servingRoutes, roster.fallbackRoutes)
        let gone = state.withLock { state in
            // A fallback opens its connections when it is needed, and keeps those that it opened.
            let stay = routes.union(fallbacks.intersection(state.fallbackRoutes))
            state.roster = roster
            state.fallbackRoutes = fallbacks
            // Who comes back later begins anew, whatever was said of it.
            state.standings = state.standings.filter { stay.contains($0.key) }
            var gone: [ConnectionPool] = []
            for loop in state.pools.indices {
                for (route, pool) in state.pools[loop] where !stay.contains(route) {
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
    /// What is tried in turn is decided by ``AttemptPlan``, inside the total budget.
    ///
    /// - Throws: ``SessionError``; where the identity before was refused as well, or failed, that of
    ///   the identity in use.
    package func session(
        for order: SessionOrder, onLoop loop: Int = 0
    ) async throws(SessionError) -> MerchantSession {
        let roster = roster
        let ticket = try roster.resolve(order)
        let start = ContinuousClock.now
        var way = ticket.way
        var plan = AttemptPlan()
        var asked = 0
        while true {
            let left = budget.total - (ContinuousClock.now - start)
            do throws(AttemptFailure) {
                let session = try await attempt(
                    plan, ticket, by: way, onLoop: loop, since: start, within: left,
                    hashes: roster.hashes)
                if let fallback = ticket.fallback { note(session, for: ticket, fallback) }
                return session
            } catch {
                let step = plan.step(
                    after: error.reason, mayRetry: error.mayRetry,
                    hasFallback: ticket.fallback != nil,
                    left: budget.total - (ContinuousClock.now - start))
                if error.wasAsked { asked += 1 }
                switch step {
                case .again: break
                case .fallBack:
                    way = ticket.fallback ?? way
                    plan.number = asked + 1
                case .end(let reason):
                    if asked == 0, !error.wasAsked, reason.culprit == .certificate {
                        throw .circuitOpen(reason)
                    }
                    throw await named(reason, at: way.route.environment)
                }
            }
        }
    }

    /// Counts for or against an identity that another stands behind.
    private func note(
        _ session: MerchantSession, for ticket: Roster.Ticket, _ fallback: Way
    ) {
        let credential = ticket.way.identity.credential
        guard let refusal = session.refusal else {
            return count.withLock { $0.succeeded(credential, of: ticket.merchant) }
        }
        let rollback = Rollback(ticket.merchant, from: credential, to: fallback.identity.credential)
        if count.withLock({ $0.failed(rollback) }) { rollbackDue(rollback, refusal) }
    }

    /// Begins to count anew for a rollback that was due: it becomes due again if it must.
    package func recount(_ rollback: Rollback) {
        count.withLock { $0.forget(rollback) }
    }

    /// The error with who answers in the gateway's place, where somebody seems to.
    private func named(
        _ error: SessionError, at environment: GatewayEnvironment
    ) async -> SessionError {
        guard case .gatewayUntrusted(let gateway, let why) = error,
            let issuer = await onlooker.issuer(at: environment)
        else { return error }
        if environment.proxy != nil {
            return .intercepted(gateway, issuer: issuer)
        }
        return .gatewayUntrusted(gateway, why: "\(why), issued by “\(issuer)”")
    }

    /// The identities that are not shown to a gateway for now.
    package var openCircuits: [OpenCircuit] {
        let (roster, standings) = state.withLock { ($0.roster, $0.standings) }
        return roster.openCircuits { standings[$0]?.openCircuit }
    }

    private struct AttemptFailure: Error {
        let reason: SessionError
        let mayRetry: Bool
        var wasAsked = true
    }

    private static let headers = [HeaderField("Content-Type", "application/json")]

    private func attempt(
        _ plan: AttemptPlan, _ ticket: Roster.Ticket, by way: Way, onLoop loop: Int,
        since start: ContinuousClock.Instant, within left: Duration,
        hashes: MerchantHashes
    ) async throws(AttemptFailure) -> MerchantSession {
        let (standing, pool) = standingAndPool(for: way, onLoop: loop)
        if let refusal = standing.admit(at: now()) {
            throw AttemptFailure(reason: refusal, mayRetry: false, wasAsked: false)
        }
        guard room.enter(standing) else {
            throw AttemptFailure(reason: .overloaded, mayRetry: false, wasAsked: false)
        }
        defer { room.leave(standing) }
        var request = TransferRequest(
            .post, way.route.environment.gateway.paymentSessionURL, headers: Self.headers,
            body: ticket.body,
            timeLimit: left)
        // Where one kept connection was found closed, the next may be closed as well.
        request.onNewConnection = plan.isRetry
        let response: TransferResponse
        do throws(TransferError) {
            do throws(TransferError) {
                response = try await pool.send(request)
            } catch .poolClosed {
                // The identity was superseded between choosing the pool and using it.
                response = try await newPool(for: way, onLoop: loop).send(request)
            }
        } catch {
            let reason = TransferFault.sessionError(
                for: error, gateway: way.route.environment.gateway)
            if case .tlsAlert(let alert) = error, alert.concernsClientCertificate {
                standing.refused(reason, at: now())
            }
            throw AttemptFailure(reason: reason, mayRetry: TransferFault.mayRetry(error))
        }
        standing.accepted()
        do throws(SessionError) {
            let bytes = try GatewayAnswer.session(
                status: response.status, body: response.body, hashes: hashes)
            return MerchantSession(
                bytes: bytes, merchant: ticket.merchant, environment: way.route.environment.name,
                attempts: plan.number, connectionReused: response.connectionReused,
                waited: response.timings.waited,
                withApple: ContinuousClock.now - start - response.timings.waited,
                refusal: plan.refusal)
        } catch {
            if case .appleFailed = error { throw AttemptFailure(reason: error, mayRetry: true) }
            throw AttemptFailure(reason: error, mayRetry: false)
        }
    }

    /// Both under one lock: each order passes here.
    private func standingAndPool(
        for way: Way, onLoop loop: Int
    ) -> (RouteStanding, ConnectionPool) {
        let (standing, pool) = state.withLock { state in
            (state.standing(of: way.route), state.pools[loop][way.route])
        }
        return (standing, pool ?? newPool(for: way, onLoop: loop))
    }

    /// A pool where none is open for the route on this loop, or that which another order has made
    /// meanwhile.
    private func newPool(for way: Way, onLoop loop: Int) -> ConnectionPool {
        let made = loops[loop].pool(
            configuration(for: way.identity, at: way.route.environment))
        let (kept, surplus) = state.withLock { state -> (ConnectionPool, ConnectionPool?) in
            if let other = state.pools[loop][way.route] { return (other, made) }
            // An order that was resolved just before a change must not leave a pool behind.
            if state.roster.routes.contains(way.route) { state.pools[loop][way.route] = made }
            return (made, nil)
        }
        surplus?.close()
        return kept
    }

    private func configuration(
        for identity: ActiveIdentity, at environment: GatewayEnvironment
    ) -> PoolConfiguration {
        let bundle = environment.gatewayCA.map { ServerTrust.bundle(pem: Array($0.utf8)) }
        var configuration = PoolConfiguration(
            identity: identity.client, trust: bundle ?? .systemBundle)
        configuration.proxy = environment.proxy
        configuration.publicAddressesOnly = environment.isBuiltIn
        configuration.addressFamily = budget.addressFamily
        // Thousands may be under way at a time; how many in all is bounded where they come in.
        configuration.maximumConnections = 2_048
        configuration.connectTimeout = budget.connect
        configuration.totalTimeout = budget.total
        return configuration
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
