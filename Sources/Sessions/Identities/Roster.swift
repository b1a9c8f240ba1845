package import Merchants
import PKI

/// Everything that serving sessions needs to know, in memory and immutable.
///
/// No request touches the database or a file: a changed home yields a new roster.
package final class Roster: Sendable {
    /// One merchant that is in service.
    package final class Entry: Sendable {
        package let merchant: Merchant
        package let domains: Set<DomainName>
        package let environments: [GatewayEnvironment]
        package let identity: Identity
        /// The retiring identity, tried where Apple refuses the one in use.
        package let fallback: ActiveIdentity?
        let body: SessionBody?
        /// The identity in use at each of the environments, in their order; none without one.
        let ways: [Way]
        /// As ``ways``, for the fallback.
        let fallbackWays: [Way]

        package init(
            merchant: Merchant, domains: Set<DomainName>, environments: [GatewayEnvironment],
            identity: Identity, fallback: ActiveIdentity? = nil
        ) {
            self.merchant = merchant
            self.domains = domains
            self.environments = environments
            self.identity = identity
            self.fallback = fallback
            var ready: ActiveIdentity?
            if case .ready(let identity) = identity { ready = identity }
            ways = ready.map { one in environments.map { Way(one, at: $0) } } ?? []
            fallbackWays = fallback.map { one in environments.map { Way(one, at: $0) } } ?? []
            body = merchant.displayName.map {
                SessionBody(merchant: merchant.identifier, displayName: $0)
            }
        }
    }

    /// A merchant whose records cannot be read: it has no sessions, and keeps its domains, so that
    /// nobody else's session is made in its place.
    package struct Damaged: Sendable {
        let identifier: MerchantIdentifier
        let domains: [DomainName]
        let what: String

        var error: SessionError { .merchantDamaged(identifier, what: what) }
    }

    /// A merchant's identity, or why there is none.
    package enum Identity: Sendable {
        case none
        /// Its key file cannot be opened; the log says why.
        case unreadable
        case ready(ActiveIdentity)
    }

    private let entries: [MerchantIdentifier: Entry]
    private let owners: [DomainName: [MerchantIdentifier]]
    private let damaged: [MerchantIdentifier: SessionError]
    private let known: Set<MerchantIdentifier>
    private let environments: Set<EnvironmentName>
    private let associationFiles: [DomainName: AssociationBytes]
    let hashes: MerchantHashes
    /// The API tokens of the home, also those that are not accepted any more.
    package let tokens: [TokenIdentifier: APIToken]

    /// `known` are all merchants of the home, also retired ones, for translating Apple's hashes.
    ///
    /// `environments` are the home's own; Apple's, and those of the entries, need not be named.
    package init(
        _ entries: [Entry], known: [MerchantIdentifier], environments: [EnvironmentName] = [],
        damaged: [Damaged] = [], tokens: [APIToken] = [],
        associationFiles: [DomainName: [UInt8]] = [:]
    ) {
        self.entries = Dictionary(
            entries.map { ($0.merchant.identifier, $0) }, uniquingKeysWith: { first, _ in first })
        var owners: [DomainName: [MerchantIdentifier]] = [:]
        for entry in entries {
            for domain in entry.domains {
                owners[domain, default: []].append(entry.merchant.identifier)
            }
        }
        for merchant in damaged {
            for domain in merchant.domains {
                owners[domain, default: []].append(merchant.identifier)
            }
        }
        self.owners = owners
        self.damaged = Dictionary(
            damaged.map { ($0.identifier, $0.error) }, uniquingKeysWith: { first, _ in first })
        self.known = Set(known)
        self.environments = Set(environments)
            .union(GatewayEnvironment.builtIn.map(\.name))
            .union(entries.flatMap { $0.environments.map(\.name) })
        self.associationFiles = associationFiles.mapValues(AssociationBytes.init)
        hashes = MerchantHashes(known)
        self.tokens = Dictionary(
            tokens.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// How many merchants are in service, as far as can be told.
    package var count: Int { entries.count + damaged.count }

    /// How many of them have records that cannot be read, or an identity whose key cannot be opened.
    package var unreadableCount: Int {
        damaged.count
            + entries.values.count { if case .unreadable = $0.identity { true } else { false } }
    }

    /// Whether there is an environment of this name in the home.
    package func knows(_ environment: EnvironmentName) -> Bool {
        environments.contains(environment)
    }

    /// The association file to serve to who asked under `host`, as a request names it: a port, the
    /// case of letters and a final dot do not matter.
    ///
    /// Nil for every other host: nothing tells which domains are registered beside those with a file.
    package func associationFile(forHost host: String) -> AssociationBytes? {
        guard !associationFiles.isEmpty else { return nil }
        let name = host.utf8.prefix { $0 != UInt8(ascii: ":") }
        let rest = host.utf8[name.endIndex...].dropFirst()
        guard rest.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let domain = try? DomainName(String(Substring(name)))
        else { return nil }
        return associationFiles[domain]
    }

    /// All identities that are ready.
    package var identities: [ActiveIdentity] {
        entries.values.compactMap {
            if case .ready(let identity) = $0.identity { identity } else { nil }
        }
    }

    /// Every identity, fallbacks included, with every gateway that it may be used at.
    var routes: Set<Route> { servingRoutes.union(fallbackRoutes) }

    /// Those of the identities in use.
    var servingRoutes: Set<Route> { Set(entries.values.flatMap { $0.ways.map(\.route) }) }

    /// Those of the identities that are tried where the one in use is refused.
    var fallbackRoutes: Set<Route> {
        Set(entries.values.flatMap { $0.fallbackWays.map(\.route) })
    }

    /// The open ones among the circuits of all identities, by what `circuit` tells of a route.
    func openCircuits(_ circuit: (Route) -> SessionError?) -> [OpenCircuit] {
        entries.values.flatMap { entry in
            (entry.fallbackWays + entry.ways).compactMap { way in
                circuit(way.route).map {
                    OpenCircuit(
                        merchant: entry.merchant.identifier,
                        environment: way.route.environment.name,
                        credential: way.identity.credential, last: $0)
                }
            }
        }
    }
}

/// An association file as it is served: Apple's bytes, unchanged.
package struct AssociationBytes: Sendable, Hashable {
    package let bytes: [UInt8]
    /// A strong entity tag (RFC 9110 §8.8.3), its quotation marks included.
    package let entityTag: String

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        entityTag = "\"\(Hexadecimal.lowercase(SHA256.hash(bytes).prefix(16)))\""
    }
}

// MARK: - Resolving an order

extension Roster {
    /// What an order comes to: whose session, where, with which identity.
    final class Ticket: Sendable {
        let merchant: MerchantIdentifier
        let way: Way
        /// The identity before the one in use, at the same gateway.
        let fallback: Way?
        let body: [UInt8]

        fileprivate init(_ entry: Entry, by number: Int, body: [UInt8]) {
            merchant = entry.merchant.identifier
            way = entry.ways[number]
            fallback = entry.fallback == nil ? nil : entry.fallbackWays[number]
            self.body = body
        }
    }

    /// Decides an order without asking anybody.
    ///
    /// - Throws: the ``SessionError`` of the first thing that is wrong.
    func resolve(_ order: SessionOrder) throws(SessionError) -> Ticket {
        let entry = try entry(for: order)
        let number = try environment(for: order, of: entry)
        guard let body = entry.body else { throw .noDisplayName(entry.merchant.identifier) }
        switch entry.identity {
        case .none: throw .noActiveIdentity(entry.merchant.identifier)
        case .unreadable: throw .keyUnavailable(entry.merchant.identifier)
        case .ready: return Ticket(entry, by: number, body: body.bytes(for: order.domain))
        }
    }

    /// What can be told of an order that was refused: for the log.
    package func known(
        of order: SessionOrder
    ) -> (merchant: MerchantIdentifier?, environment: EnvironmentName?) {
        guard let entry = try? entry(for: order) else { return (order.merchant, order.environment) }
        let environment = (try? environment(for: order, of: entry)).map { entry.environments[$0] }
        return (entry.merchant.identifier, environment?.name ?? order.environment)
    }

    /// The merchant whose session is asked for, if it may be.
    ///
    /// - Throws: the ``SessionError`` of the first thing that is wrong with the order.
    package func merchant(of order: SessionOrder) throws(SessionError) -> MerchantIdentifier {
        let entry = try entry(for: order)
        _ = try environment(for: order, of: entry)
        return entry.merchant.identifier
    }

    private func entry(for order: SessionOrder) throws(SessionError) -> Entry {
        guard let merchant = order.merchant else {
            // Others' are as good as none: that they exist is nobody else's business.
            let candidates = (owners[order.domain] ?? []).filter(order.covers)
            guard candidates.count <= 1 else { throw .merchantRequired(candidates.sorted()) }
            if let only = candidates.first, let error = damaged[only] { throw error }
            guard let only = candidates.first, let entry = entries[only] else {
                throw .domainNotRegistered(order.domain, merchant: nil)
            }
            return entry
        }
        guard order.covers(merchant) else { throw .merchantNotCovered(merchant) }
        if let error = damaged[merchant] { throw error }
        guard let entry = entries[merchant] else {
            throw known.contains(merchant) ? .merchantRetired(merchant) : .unknownMerchant(merchant)
        }
        guard entry.domains.contains(order.domain) else {
            throw .domainNotRegistered(order.domain, merchant: merchant)
        }
        return entry
    }

    /// Which of the entry's environments an order is for.
    private func environment(
        for order: SessionOrder, of entry: Entry
    ) throws(SessionError) -> Int {
        let allowed = entry.environments
        var chosen: Int?
        if let name = order.environment {
            guard let named = allowed.firstIndex(where: { $0.name == name }) else {
                // A name that means nothing is another mistake than a gateway that is off limits.
                throw environments.contains(name)
                    ? .environmentNotAllowed(name, allowed.map(\.name))
                    : .unknownEnvironment(name)
            }
            chosen = named
        }
        if let url = order.validationURL {
            guard let environment = ValidationURL.environment(of: url, among: allowed),
                let told = allowed.firstIndex(where: { $0.name == environment.name })
            else { throw .validationURL }
            // Two environments may share a gateway; then the name decides.
            if let chosen, allowed[chosen].gateway != allowed[told].gateway {
                throw .environmentsDisagree
            }
            chosen = chosen ?? told
        }
        if let chosen { return chosen }
        guard allowed.count == 1 else { throw .environmentRequired(allowed.map(\.name)) }
        return 0
    }
}
