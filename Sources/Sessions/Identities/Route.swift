import Merchants

/// One identity at one gateway: what a pool of connections belongs to.
///
/// A class with its hash in it, because each request looks its own up: to know an object again costs
/// next to nothing, and to hash and compare all these strings does not.
final class Route: Sendable, Hashable {
    let fingerprint: String
    let environment: GatewayEnvironment
    private let mixed: Int

    init(fingerprint: String, environment: GatewayEnvironment) {
        self.fingerprint = fingerprint
        self.environment = environment
        var hasher = Hasher()
        hasher.combine(fingerprint)
        hasher.combine(environment.name)
        mixed = hasher.finalize()
    }

    static func == (one: Route, other: Route) -> Bool {
        one === other
            || one.mixed == other.mixed && one.fingerprint == other.fingerprint
                && one.environment == other.environment
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(mixed)
    }
}

/// A route with the identity that goes by it: made with the roster, and not for each order.
final class Way: Sendable {
    let identity: ActiveIdentity
    let route: Route

    init(_ identity: ActiveIdentity, at environment: GatewayEnvironment) {
        self.identity = identity
        route = Route(fingerprint: identity.fingerprint, environment: environment)
    }
}
