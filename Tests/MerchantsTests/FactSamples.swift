import Clocks
import Merchants

/// Facts for policies and rotations, told in days from a fixed moment.
struct FactSamples {
    static let now = Timestamp(seconds: 1_800_000_000)

    let kind: CredentialKind
    let merchant: MerchantIdentifier
    private(set) var credentials: [CredentialFacts] = []
    var team: String?
    var hasDomains = true
    var now = FactSamples.now

    init(_ kind: CredentialKind) throws {
        self.kind = kind
        merchant = try MerchantIdentifier("merchant.com.example.shop")
    }

    /// Adds one; times are in days, `left` until its certificate's end.
    @discardableResult
    mutating func add(
        _ state: CredentialState, left: Int64? = nil, since: Int64 = -1, activated: Int64? = nil,
        provider: String? = nil, rolledBack: Bool = false, lastToken: Int64? = nil,
        team: String? = nil, troubles: [CredentialTrouble] = [],
        issuerWord: IssuerWord? = nil
    ) throws -> CredentialIdentifier {
        func day(_ days: Int64) -> Timestamp { Self.now.adding(days: days) }
        let isUsed = state == .active || state == .retiring
        let digits = "\(credentials.count + 1)"
        let id = try CredentialIdentifier(
            String(repeating: "0", count: 12 - digits.count) + digits)
        credentials.append(
            CredentialFacts(
                id: id, kind: kind, state: state,
                custody: provider == nil ? .local : .provider, provider: provider,
                createdAt: day(since), activatedAt: (activated ?? (isUsed ? since : nil)).map(day),
                times: CredentialTimes(
                    stateChangedAt: day(since),
                    retiringSince: state == .retiring ? day(since) : nil,
                    rolledBackAt: rolledBack ? day(since) : nil, lastTokenAt: lastToken.map(day)),
                notBefore: left.map { day($0 - 760) }, notAfter: left.map(day), team: team,
                troubles: troubles, issuerWord: issuerWord))
        return id
    }

    var facts: KindFacts {
        KindFacts(
            merchant: merchant, kind: kind, team: team, hasDomains: hasDomains,
            credentials: credentials, windows: Windows(), periods: RotationPeriods(), now: now)
    }

    var plan: RotationPlan { RotationPlan(facts) }
}
