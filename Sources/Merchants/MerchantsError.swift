package import Clocks
package import Problems

/// What is wrong with a name or an act, before anything is read or written.
package enum MerchantsError: Explained, Equatable {
    case badMerchantIdentifier(_ what: String)
    case badDomain(_ what: String, use: String?)
    case badDisplayName(_ what: String)
    case badName(_ text: String, what: String)
    case badProvider(_ what: String)
    case badGateway(_ what: String)
    case badCredentialIdentifier(_ text: String)
    case badAlertIdentifier
    case badTokenIdentifier
    case badNetwork(_ what: String, use: String?)
    case badTeam(_ text: String)
    case badMailAddress(_ text: String)
    case badProxy(_ what: String)
    case wrongKindForActivate(_ id: CredentialIdentifier)
    case wrongKindForActivated(_ id: CredentialIdentifier)
    case keyElsewhere(_ id: CredentialIdentifier)
    case notActivatable(_ id: CredentialIdentifier, _ state: CredentialState)
    case superseded(_ id: CredentialIdentifier, by: CredentialIdentifier)
    case inUse(_ id: CredentialIdentifier, _ kind: CredentialKind)
    case notRetirable(_ id: CredentialIdentifier, _ state: CredentialState)
    case notAbandonable(_ id: CredentialIdentifier, _ state: CredentialState)
    case notRevocable(_ id: CredentialIdentifier)
    case notDestroyable(_ id: CredentialIdentifier, _ state: CredentialState)
    case keyNotOurs(_ id: CredentialIdentifier)
    case tooEarlyToRetire(_ id: CredentialIdentifier, until: Timestamp)
    case tooEarlyToDestroy(_ id: CredentialIdentifier, until: Timestamp)

    package var code: String {
        switch self {
        case .badMerchantIdentifier: "merchant.bad-identifier"
        case .badDomain: "domain.malformed"
        case .badDisplayName: "merchant.bad-display-name"
        case .badName: "name.malformed"
        case .badProvider: "provider.bad-name"
        case .badGateway: "environment.bad-gateway"
        case .badCredentialIdentifier: "certificate.bad-id"
        case .badAlertIdentifier: "alert.bad-id"
        case .badTokenIdentifier: "api-token.bad-id"
        case .badNetwork: "api-token.bad-network"
        case .badTeam: "merchant.bad-team"
        case .badMailAddress: "merchant.bad-owner"
        case .badProxy: "environment.bad-proxy"
        case .wrongKindForActivate: "certificate.activated-at-apple"
        case .wrongKindForActivated: "certificate.activated-here"
        case .keyElsewhere: "certificate.key-elsewhere"
        case .notActivatable: "certificate.not-activatable"
        case .superseded: "certificate.superseded"
        case .inUse: "certificate.in-use"
        case .notRetirable: "certificate.not-retirable"
        case .notAbandonable: "certificate.not-abandonable"
        case .notRevocable: "certificate.not-revocable"
        case .notDestroyable: "certificate.not-destroyable"
        case .keyNotOurs: "certificate.key-not-ours"
        case .tooEarlyToRetire: "certificate.too-early-to-retire"
        case .tooEarlyToDestroy: "certificate.too-early-to-destroy"
        }
    }

    package var summary: String {
        switch self {
        case .badMerchantIdentifier(let what): "this is no merchant identifier: \(what)"
        case .badDomain(let what, _): "this is no domain that Apple can register: \(what)"
        case .badDisplayName(let what): "this display name is not fit for Apple's sheet: \(what)"
        case .badName(_, let what): "this cannot be the name of a thing of this sort: \(what)"
        case .badProvider(let what): "this cannot be a payment provider's name: \(what)"
        case .badGateway(let what): "this is no gateway address: \(what)"
        case .badCredentialIdentifier: "this is no credential's id"
        case .badAlertIdentifier: "this is no alert's id"
        case .badTokenIdentifier: "this is no API token's id"
        case .badNetwork(let what, _): "this is no range of addresses: \(what)"
        case .badTeam: "this is no team identifier of Apple's"
        case .badMailAddress: "this is no mail address"
        case .badProxy(let what): "this is no proxy address: \(what)"
        case .wrongKindForActivate(let id):
            "\(id) is for payment processing; such a certificate is activated at Apple, not here"
        case .wrongKindForActivated(let id):
            "\(id) is a merchant identity; it becomes active by using it, not by activation at Apple"
        case .keyElsewhere(let id):
            "the key of \(id) is held by a payment provider, so it cannot be used here"
        case .superseded(let id, let other):
            "\(id) is retiring, because \(other) was activated later than that"
        case .notActivatable(let id, .retiring):
            "\(id) is retiring, because another was activated later"
        case .notActivatable(let id, let state):
            "\(id) is \(state.rawValue) and cannot become active"
        case .inUse(let id, _): "\(id) is in use, and nothing would take its place"
        case .notRetirable(let id, let state):
            "\(id) is \(state.rawValue) and cannot be retired"
        case .notAbandonable(let id, let state):
            "\(id) is \(state.rawValue) and cannot be abandoned"
        case .notRevocable(let id): "\(id) is destroyed and cannot be revoked"
        case .notDestroyable(let id, let state):
            "\(id) is \(state.rawValue): its key is still wanted"
        case .keyNotOurs(let id):
            "the key of \(id) is held by a payment provider, so it cannot be destroyed here"
        case .tooEarlyToRetire(let id, let date):
            "payment tokens may still arrive under \(id); it can be retired from \(date) on"
        case .tooEarlyToDestroy(let id, let date):
            "late payments may still need the key of \(id); it can be destroyed from \(date) on"
        }
    }

    package var remedy: String {
        switch self {
        case .badMerchantIdentifier: "write it as in Apple's portal: merchant.com.example.shop"
        case .badDomain(_, let use?): "use \(use)"
        case .badDomain(_, nil): "give the host name alone, such as shop.example.com"
        case .badDisplayName: "use at most 64 plain letters, digits and punctuation marks"
        case .badName: "use 1 to 64 lower-case letters, digits and hyphens, beginning with a letter"
        case .badProvider: "use 1 to 64 visible characters, such as 'Example Payments'"
        case .badGateway: "write https://host or https://host:port"
        case .badCredentialIdentifier: "take the id (12 hex digits) from: purser certificate list"
        case .badAlertIdentifier: "take the id (12 hex digits) from: purser alert list"
        case .badTokenIdentifier: "take the id (12 hex digits) from: purser api-token list"
        case .badNetwork(_, let use?): "use \(use)"
        case .badNetwork(_, nil): "write it as 10.0.0.0/8, 2001:db8::/32, or one address"
        case .badTeam: "use the ten letters and digits that Apple's portal shows"
        case .badMailAddress: "write it as name@example.com"
        case .badProxy:
            "write http://host:port or https://host:port; one with a password is not supported"
        case .wrongKindForActivate(let id):
            "activate it in Apple's portal, then record it: purser certificate activated \(id)"
        case .wrongKindForActivated(let id): "run: purser certificate activate \(id)"
        case .keyElsewhere(let id):
            "record what the provider did: purser certificate activated \(id)"
        case .notActivatable(let id, .requested):
            "import its certificate first; see: purser certificate show \(id)"
        case .notActivatable(let id, .retiring), .superseded(let id, _):
            "if Apple uses it, give a later time: purser certificate activated \(id) --at TIME"
        case .notActivatable: "request a new one: purser certificate request MERCHANT KIND"
        case .inUse(_, .merchantIdentity):
            "activate another first: purser certificate activate ID; see also: purser merchant retire"
        case .inUse:
            "record its successor's activation first: purser certificate activated ID"
        case .notRetirable(let id, .requested), .notRetirable(let id, .issued):
            "it was never in use, so give it up: purser certificate abandon \(id)"
        case .notAbandonable(let id, .active), .notAbandonable(let id, .retiring):
            "it was in use, so retire it: purser certificate retire \(id)"
        case .notRetirable(let id, _), .notAbandonable(let id, _):
            "leave it; it is out of use already: purser certificate show \(id)"
        case .notRevocable: "revoke its certificate in Apple's portal, if that has not been done"
        case .notDestroyable(let id, .requested), .notDestroyable(let id, .issued):
            "give it up first: purser certificate abandon \(id)"
        case .notDestroyable(let id, .retiring):
            "take it out of use first: purser certificate retire \(id)"
        case .notDestroyable(let id, _):
            "revoke it first: purser certificate revoke \(id) --reason REASON"
        case .keyNotOurs: "ask the provider to destroy it"
        case .tooEarlyToRetire:
            "wait: purser renew --commit retires it then (rotation.quietDays)"
        case .tooEarlyToDestroy(let id, _):
            "wait (rotation.retentionDays), or revoke it first: purser certificate revoke \(id) --reason R"
        }
    }

    package var nature: Nature {
        switch self {
        case .badMerchantIdentifier, .badDomain, .badDisplayName, .badName, .badProvider,
            .badGateway,
            .badCredentialIdentifier, .badAlertIdentifier, .badTokenIdentifier, .badNetwork,
            .badTeam,
            .badMailAddress, .badProxy:
            .badData
        case .wrongKindForActivate, .wrongKindForActivated, .keyElsewhere, .notActivatable,
            .superseded, .inUse, .notRetirable, .notAbandonable, .notRevocable, .notDestroyable,
            .keyNotOurs, .tooEarlyToRetire, .tooEarlyToDestroy:
            .conflict
        }
    }

    package static var examples: [MerchantsError] {
        [
            .badMerchantIdentifier("it does not start with \"merchant.\""),
            .badDomain("it has a scheme", use: "shop.example.com"),
            .badDomain("it is empty", use: nil),
            .badDisplayName("it has an emoji"),
            .badName("Lab 1", what: "environment"),
            .badProvider("it has more than 64 characters"),
            .badGateway("it does not start with https://"),
            .badCredentialIdentifier("xyz"), .badAlertIdentifier, .badTokenIdentifier,
            .badNetwork("it has bits behind its length", use: "10.0.0.0/8"),
            .badNetwork("it does not begin with an address", use: nil),
            .badTeam("abc"),
            .badMailAddress("alice"),
            .badProxy("it has no port"),
            .wrongKindForActivate(.example),
            .wrongKindForActivated(.example),
            .keyElsewhere(.example),
            .notActivatable(.example, .requested),
            .notActivatable(.example, .retired),
            .notActivatable(.example, .retiring),
            .superseded(.example, by: .example),
            .inUse(.example, .merchantIdentity),
            .inUse(.example, .paymentProcessing),
            .notRetirable(.example, .requested),
            .notRetirable(.example, .revoked),
            .notAbandonable(.example, .active),
            .notAbandonable(.example, .retired),
            .notRevocable(.example),
            .notDestroyable(.example, .issued),
            .notDestroyable(.example, .retiring),
            .notDestroyable(.example, .active),
            .keyNotOurs(.example),
            .tooEarlyToRetire(.example, until: Timestamp(seconds: 1_800_000_000)),
            .tooEarlyToDestroy(.example, until: Timestamp(seconds: 1_800_000_000)),
        ]
    }
}
