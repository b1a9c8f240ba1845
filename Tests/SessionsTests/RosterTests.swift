import Clocks
import Merchants
import SessionSupport
import Testing

@testable import Sessions

@Suite struct RosterTests {
    private static let one = "merchant.com.example.one"
    private static let two = "merchant.com.example.two"

    private func entry(
        _ identifier: String, domains: [String],
        environments: [EnvironmentName] = [.production],
        displayName: String? = "Shop", identity: Roster.Identity = .none
    ) throws -> Roster.Entry {
        Roster.Entry(
            merchant: Merchant(
                identifier: try MerchantIdentifier(identifier), realm: .apple,
                environments: environments, name: nil,
                displayName: try displayName.map { try DisplayName($0) }, team: nil, owners: [],
                createdAt: Timestamp(seconds: 0), retiredAt: nil),
            domains: Set(try domains.map { try DomainName($0) }),
            environments: GatewayEnvironment.builtIn.filter { environments.contains($0.name) },
            identity: identity)
    }

    private func order(
        _ domain: String, _ merchant: String? = nil, _ environment: EnvironmentName? = nil,
        url: String? = nil
    ) throws -> SessionOrder {
        SessionOrder(
            domain: try DomainName(domain),
            merchant: try merchant.map { try MerchantIdentifier($0) },
            environment: environment, validationURL: url)
    }

    private func refusal(_ order: SessionOrder, _ entries: Roster.Entry...) -> SessionError? {
        let roster = Roster(entries, known: entries.map(\.merchant.identifier))
        do throws(SessionError) {
            _ = try roster.resolve(order)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a domain alone finds the only merchant that has it`() throws {
        let bench = try SessionBench()
        let identity = try bench.identity()
        let roster = SessionBench.roster(try bench.entry(as: identity))
        let ticket = try roster.resolve(try SessionBench.order())
        #expect(ticket.merchant.text == SessionBench.shop)
        #expect(ticket.way.route.environment.name.text == "lab")
        #expect(ticket.way.identity.fingerprint == identity.fingerprint)
        #expect(roster.count == 1 && roster.identities.map(\.fingerprint) == [identity.fingerprint])
    }

    @Test func `a domain that nobody has is refused, and one of two owners must be named`() throws {
        let first = try entry(Self.one, domains: ["shop.example.com"])
        let second = try entry(Self.two, domains: ["shop.example.com", "other.example.com"])
        let domain = try DomainName("nobody.example.com")
        #expect(
            refusal(try order("nobody.example.com"), first, second)
                == .domainNotRegistered(domain, merchant: nil))
        let both = [Self.one, Self.two].compactMap { try? MerchantIdentifier($0) }
        #expect(refusal(try order("shop.example.com"), second, first) == .merchantRequired(both))
        #expect(
            refusal(try order("shop.example.com", Self.two), first, second)
                == .noActiveIdentity(both[1]))
    }

    @Test func `a merchant must be known and must have the domain`() throws {
        let first = try entry(Self.one, domains: ["shop.example.com"])
        let stranger = try MerchantIdentifier(Self.two)
        #expect(
            refusal(try order("shop.example.com", Self.two), first) == .unknownMerchant(stranger))
        // A subdomain is another domain at Apple.
        for name in ["www.shop.example.com", "example.com", "xshop.example.com"] {
            #expect(
                refusal(try order(name, Self.one), first)
                    == .domainNotRegistered(
                        try DomainName(name), merchant: try MerchantIdentifier(Self.one)))
        }
    }

    @Test func `a gateway is chosen by name or by URL, never beyond what is allowed`() throws {
        let sandbox = "https://apple-pay-gateway-cert.apple.com/paymentservices/startSession"
        let production = "https://apple-pay-gateway.apple.com/paymentservices/startSession"
        let both = try entry(
            Self.one, domains: ["shop.example.com"], environments: [.production, .sandbox])
        let only = try entry(Self.one, domains: ["shop.example.com"])
        let through = SessionError.noActiveIdentity(try MerchantIdentifier(Self.one))
        let ask: (EnvironmentName?, String?) throws -> SessionOrder = {
            try self.order("shop.example.com", nil, $0, url: $1)
        }
        // Decided: what is missing then is the identity alone.
        for (name, url) in [
            (.sandbox, nil), (nil, sandbox), (.sandbox, sandbox), (nil, production),
        ] as [(EnvironmentName?, String?)] {
            #expect(refusal(try ask(name, url), both) == through)
        }
        #expect(refusal(try ask(nil, nil), only) == through)
        // Not decided, or not allowed.
        #expect(refusal(try ask(nil, nil), both) == .environmentRequired([.production, .sandbox]))
        #expect(refusal(try ask(.production, sandbox), both) == .environmentsDisagree)
        #expect(
            refusal(try ask(.sandbox, nil), only)
                == .environmentNotAllowed(.sandbox, [.production]))
        let nowhere = try EnvironmentName("nowhere")
        #expect(refusal(try ask(nowhere, nil), only) == .unknownEnvironment(nowhere))
        #expect(refusal(try ask(nil, sandbox), only) == .validationURL)
        #expect(refusal(try ask(.production, sandbox), only) == .validationURL)
        #expect(refusal(try ask(nil, "https://attacker.example/"), both) == .validationURL)
    }

    @Test func `what a merchant lacks is named`() throws {
        let merchant = try MerchantIdentifier(Self.one)
        let asked = try order("shop.example.com")
        let domains = ["shop.example.com"]
        #expect(
            refusal(asked, try entry(Self.one, domains: domains, displayName: nil))
                == .noDisplayName(merchant))
        #expect(
            refusal(asked, try entry(Self.one, domains: domains)) == .noActiveIdentity(merchant))
        #expect(
            refusal(asked, try entry(Self.one, domains: domains, identity: .unreadable))
                == .keyUnavailable(merchant))
    }
}
