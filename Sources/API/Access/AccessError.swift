package import Merchants
package import Problems

/// Why a caller may not make a call; the HTTP status is RFC 6750's.
package enum AccessError: Explained, Equatable {
    /// Without a token; `objection` is why it does not count as this machine's own, where that alone
    /// would have been enough.
    case tokenRequired(_ objection: LocalCaller.Objection?)
    /// `Authorization` is there twice, or is no `Bearer TOKEN`.
    case malformedCredentials
    /// No token of this home, or one of whose id something else follows than was given out.
    case tokenUnknown
    case tokenRevoked(_ id: TokenIdentifier)
    case tokenExpired(_ id: TokenIdentifier)
    /// It comes from an address to which it is not bound; nil: that cannot be told.
    case foreignNetwork(_ address: String?)
    case roleMissing(_ role: Role)
    case merchantNotCovered(_ merchant: MerchantIdentifier)
    /// Another merchant, for which the token is not, has this domain.
    case domainNotCovered(_ domain: DomainName)
    /// The call tells of all merchants, and the token is bound to some.
    case allMerchantsNeeded
    /// Too many requests in a second, by whose count.
    case rateExceeded(_ whose: String, retryAfter: Int)

    package var code: String {
        switch self {
        case .tokenRequired: "access.token-required"
        case .malformedCredentials: "access.malformed-credentials"
        case .tokenUnknown: "access.token-unknown"
        case .tokenRevoked: "access.token-revoked"
        case .tokenExpired: "access.token-expired"
        case .foreignNetwork: "access.foreign-network"
        case .roleMissing: "access.role-missing"
        case .merchantNotCovered: "access.merchant-not-covered"
        case .domainNotCovered: "access.domain-not-covered"
        case .allMerchantsNeeded: "access.all-merchants-needed"
        case .rateExceeded: "access.rate-exceeded"
        }
    }

    package var summary: String {
        switch self {
        case .tokenRequired(nil): "this call needs an API token"
        case .tokenRequired(let objection?): "this call needs an API token: \(objection.summary)"
        case .malformedCredentials: "the Authorization of this call is not one Bearer token"
        case .tokenUnknown: "this home knows no such API token"
        case .tokenRevoked(let id): "API token \(id) was revoked"
        case .tokenExpired(let id): "API token \(id) has expired"
        case .foreignNetwork(let address?): "this API token may not come from \(address)"
        case .foreignNetwork(nil):
            "this API token is bound to networks, and where it comes from cannot be told"
        case .roleMissing(let role): "this API token does not have the role \(role.rawValue)"
        case .merchantNotCovered(let merchant):
            "this API token may not be used for \(merchant)"
        case .domainNotCovered(let domain):
            "\(domain) is another merchant's, for which this API token may not be used"
        case .allMerchantsNeeded:
            "this call is about all merchants, and this API token is bound to some"
        case .rateExceeded(let whose, _): "more requests of this \(whose) than are allowed a second"
        }
    }

    package var remedy: String {
        switch self {
        case .tokenRequired(nil), .tokenRequired(.elsewhere):
            "send Authorization: Bearer TOKEN; make one with: purser api-token create --role ROLE"
        case .tokenRequired(let objection?): objection.remedy
        case .malformedCredentials: "send Authorization: Bearer TOKEN, once"
        case .tokenUnknown: "check that the whole token was copied; see: purser api-token list"
        case .tokenRevoked, .tokenExpired:
            "use another; make one with: purser api-token create --role ROLE"
        case .foreignNetwork(.some): "call from its networks; see: purser api-token list"
        case .foreignNetwork(nil):
            "name the reverse proxy in serve.trustedProxies, and let it send X-Forwarded-For"
        case .roleMissing(let role):
            "use a token with it: purser api-token create --role \(role.rawValue)"
        case .merchantNotCovered: "use a token that is bound to this merchant, or to none"
        case .domainNotCovered: "let staff who may act for both register it: purser domain add"
        case .allMerchantsNeeded: "use a token without --merchant"
        case .rateExceeded(_, let seconds):
            "wait \(seconds) s; the limits are limits.tokenRequests and limits.merchantRequests"
        }
    }

    package var nature: Nature {
        switch self {
        case .rateExceeded: .unavailable
        default: .denied
        }
    }

    /// 401 where a (better) token would help, 403 where this one does not, 429.
    var status: Int {
        switch self {
        case .tokenRequired, .malformedCredentials, .tokenUnknown, .tokenRevoked, .tokenExpired: 401
        case .foreignNetwork, .roleMissing, .merchantNotCovered, .domainNotCovered,
            .allMerchantsNeeded:
            403
        case .rateExceeded: 429
        }
    }

    /// The value of `WWW-Authenticate` (RFC 6750 §3); nil where another token is no help.
    var challenge: String? {
        switch self {
        case .tokenRequired: "Bearer realm=\"purser\""
        case .malformedCredentials: "Bearer realm=\"purser\", error=\"invalid_request\""
        case .tokenUnknown, .tokenRevoked, .tokenExpired:
            "Bearer realm=\"purser\", error=\"invalid_token\""
        case .roleMissing(let role):
            "Bearer realm=\"purser\", error=\"insufficient_scope\", scope=\"\(role.rawValue)\""
        case .foreignNetwork, .merchantNotCovered, .domainNotCovered, .allMerchantsNeeded,
            .rateExceeded:
            nil
        }
    }

    package static var examples: [AccessError] {
        guard let merchant = try? MerchantIdentifier("merchant.com.example.shop") else { return [] }
        let domains = [try? DomainName("shop.example.com")].compactMap(\.self)
        return domains.map { .domainNotCovered($0) }
            + LocalCaller.Objection.allCases.map { .tokenRequired($0) } + [
                .tokenRequired(nil), .malformedCredentials, .tokenUnknown, .tokenRevoked(.example),
                .tokenExpired(.example), .foreignNetwork("192.0.2.7"), .foreignNetwork(nil),
                .roleMissing(.auditor), .merchantNotCovered(merchant), .allMerchantsNeeded,
                .rateExceeded("token", retryAfter: 1),
            ]
    }
}
