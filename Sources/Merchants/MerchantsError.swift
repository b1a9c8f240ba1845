package import Problems

/// What is wrong with a name or an act, before anything is read or written.
package enum MerchantsError: Explained, Equatable {
    case badMerchantIdentifier(_ what: String)
    case badDomain(_ what: String, use: String?)
    case badDisplayName(_ what: String)
    case badName(_ text: String, what: String)
    case badGateway(_ what: String)
    case badCredentialIdentifier(_ text: String)
    case badTeam(_ text: String)
    case badMailAddress(_ text: String)
    case badProxy(_ what: String)
    case wrongKindForActivate(_ id: CredentialIdentifier)
    case wrongKindForActivated(_ id: CredentialIdentifier)
    case keyElsewhere(_ id: CredentialIdentifier)
    case notActivatable(_ id: CredentialIdentifier, _ state: CredentialState)

    package var code: String {
        switch self {
        case .badMerchantIdentifier: "merchant.bad-identifier"
        case .badDomain: "domain.malformed"
        case .badDisplayName: "merchant.bad-display-name"
        case .badName: "name.malformed"
        case .badGateway: "environment.bad-gateway"
        case .badCredentialIdentifier: "certificate.bad-id"
        case .badTeam: "merchant.bad-team"
        case .badMailAddress: "merchant.bad-owner"
        case .badProxy: "environment.bad-proxy"
        case .wrongKindForActivate: "certificate.activated-at-apple"
        case .wrongKindForActivated: "certificate.activated-here"
        case .keyElsewhere: "certificate.key-elsewhere"
        case .notActivatable: "certificate.not-activatable"
        }
    }

    package var summary: String {
        switch self {
        case .badMerchantIdentifier(let what): "this is no merchant identifier: \(what)"
        case .badDomain(let what, _): "this is no domain that Apple can register: \(what)"
        case .badDisplayName(let what): "this display name is not fit for Apple's sheet: \(what)"
        case .badName(_, let what): "this cannot be the name of a thing of this sort: \(what)"
        case .badGateway(let what): "this is no gateway address: \(what)"
        case .badCredentialIdentifier: "this is no credential's id"
        case .badTeam: "this is no team identifier of Apple's"
        case .badMailAddress: "this is no mail address"
        case .badProxy(let what): "this is no proxy address: \(what)"
        case .wrongKindForActivate(let id):
            "\(id) is for payment processing; such a certificate is activated at Apple, not here"
        case .wrongKindForActivated(let id):
            "\(id) is a merchant identity; it becomes active by using it, not by activation at Apple"
        case .keyElsewhere(let id):
            "the key of \(id) is held by a payment provider, so it cannot be used here"
        case .notActivatable(let id, let state):
            "\(id) is \(state.rawValue) and cannot become active"
        }
    }

    package var remedy: String {
        switch self {
        case .badMerchantIdentifier: "write it as in Apple's portal: merchant.com.example.shop"
        case .badDomain(_, let use?): "use \(use)"
        case .badDomain(_, nil): "give the host name alone, such as shop.example.com"
        case .badDisplayName: "use at most 64 plain letters, digits and punctuation marks"
        case .badName: "use 1 to 64 lower-case letters, digits and hyphens, beginning with a letter"
        case .badGateway: "write https://host or https://host:port"
        case .badCredentialIdentifier: "take the id (12 hex digits) from: purser certificate list"
        case .badTeam: "use the ten letters and digits that Apple's portal shows"
        case .badMailAddress: "write it as name@example.com"
        case .badProxy: "write http://host:port; a proxy with a password is not supported"
        case .wrongKindForActivate(let id):
            "activate it in Apple's portal, then record it: purser certificate activated \(id)"
        case .wrongKindForActivated(let id): "run: purser certificate activate \(id)"
        case .keyElsewhere(let id):
            "record what the provider did: purser certificate activated \(id)"
        case .notActivatable(let id, .requested):
            "import its certificate first; see: purser certificate show \(id)"
        case .notActivatable: "request a new one: purser certificate request MERCHANT KIND"
        }
    }

    package var nature: Nature {
        switch self {
        case .badMerchantIdentifier, .badDomain, .badDisplayName, .badName, .badGateway,
            .badCredentialIdentifier, .badTeam, .badMailAddress, .badProxy:
            .badData
        case .wrongKindForActivate, .wrongKindForActivated, .keyElsewhere, .notActivatable:
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
            .badGateway("it does not start with https://"),
            .badCredentialIdentifier("xyz"),
            .badTeam("abc"),
            .badMailAddress("alice"),
            .badProxy("it has no port"),
            .wrongKindForActivate(.example),
            .wrongKindForActivated(.example),
            .keyElsewhere(.example),
            .notActivatable(.example, .requested),
            .notActivatable(.example, .retired),
        ]
    }
}
