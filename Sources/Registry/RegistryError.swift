package import Merchants
package import Problems

/// Why a record cannot be found, added or changed.
package enum RegistryError: Explained, Equatable {
    case merchantUnknown(MerchantIdentifier)
    case merchantExists(MerchantIdentifier)
    case merchantRetired(MerchantIdentifier)
    /// A merchant was given no environment at all.
    case withoutEnvironment(MerchantIdentifier)
    case environmentUnknown(EnvironmentName)
    case environmentExists(EnvironmentName)
    case environmentBuiltIn(EnvironmentName)
    case environmentInUse(EnvironmentName, by: [MerchantIdentifier])
    /// A merchant's environments must all be of one realm.
    case realmMixed([EnvironmentName])
    case realmFixed(MerchantIdentifier, RealmName, [EnvironmentName], of: RealmName)
    /// Only Apple's own environments are in Apple's realm.
    case realmReserved(EnvironmentName)
    case domainExists(DomainName, of: MerchantIdentifier)
    case domainNotRegistered(DomainName, of: MerchantIdentifier)
    case certificateUnknown(CredentialIdentifier)
    /// A credential with the same key is recorded already.
    case keyKnown(CredentialIdentifier)
    /// The certificate is recorded under another credential.
    case certificateElsewhere(CredentialIdentifier)
    /// Somebody else has moved it meanwhile.
    case stateChanged(CredentialIdentifier, found: CredentialState)
    /// No edge of the state machine leads there.
    case illegalMove(CredentialIdentifier, from: CredentialState, to: CredentialState)
    /// There is an active one of the merchant and kind already.
    case anotherActive(CredentialIdentifier)
    case alertUnknown(AlertIdentifier)
    /// Its problem is gone.
    case alertOver(AlertIdentifier)
    case tokenUnknown(TokenIdentifier)
    /// A row does not hold what this program writes there.
    case damaged(column: String, why: MerchantsError?)

    package var code: String {
        switch self {
        case .merchantUnknown: "merchant.unknown"
        case .merchantExists: "merchant.exists"
        case .merchantRetired: "merchant.retired"
        case .withoutEnvironment: "merchant.without-environment"
        case .environmentUnknown: "environment.unknown"
        case .environmentExists: "environment.exists"
        case .environmentBuiltIn: "environment.built-in"
        case .environmentInUse: "environment.in-use"
        case .realmMixed: "realm.mixed"
        case .realmFixed: "realm.fixed"
        case .realmReserved: "realm.reserved"
        case .domainExists: "domain.exists"
        case .domainNotRegistered: "domain.not-registered"
        case .certificateUnknown: "certificate.unknown"
        case .keyKnown: "certificate.key-known"
        case .certificateElsewhere: "certificate.elsewhere"
        case .stateChanged: "certificate.state-changed"
        case .illegalMove: "certificate.illegal-move"
        case .anotherActive: "certificate.another-active"
        case .alertUnknown: "alert.unknown"
        case .alertOver: "alert.over"
        case .tokenUnknown: "api-token.unknown"
        case .damaged: "registry.damaged"
        }
    }

    package var nature: Nature {
        switch self {
        case .merchantUnknown, .environmentUnknown, .domainNotRegistered, .certificateUnknown,
            .alertUnknown, .tokenUnknown:
            .notFound
        case .merchantExists, .environmentExists, .domainExists, .keyKnown: .cannotCreate
        case .merchantRetired, .environmentInUse, .certificateElsewhere, .stateChanged,
            .illegalMove, .anotherActive, .alertOver:
            .conflict
        case .withoutEnvironment, .realmMixed, .realmFixed, .realmReserved, .environmentBuiltIn:
            .badData
        case .damaged: .internalFault
        }
    }

    package var cause: (any Error)? {
        guard case .damaged(_, let why) = self else { return nil }
        return why
    }
}

// MARK: - What a person reads

extension RegistryError {
    package var summary: String {
        switch self {
        case .merchantUnknown(let id): "there is no merchant \(id)"
        case .merchantExists(let id): "merchant \(id) exists already"
        case .merchantRetired(let id): "merchant \(id) has been retired"
        case .withoutEnvironment(let id): "merchant \(id) has no environment"
        case .environmentUnknown(let name): "there is no environment \(name)"
        case .environmentExists(let name): "environment \(name) exists already"
        case .environmentBuiltIn(let name): "environment \(name) is one of Apple's and stays"
        case .environmentInUse(let name, let merchants):
            "environment \(name) is used by \(Self.few(merchants))"
        case .realmMixed(let names):
            "a merchant is of one realm, and these are of several: \(Self.few(names))"
        case .realmFixed(let id, let own, let names, let other):
            "\(id) is of realm \(own) and cannot move to \(other), that of \(Self.few(names))"
        case .realmReserved(let name):
            "environment \(name) cannot join the realm apple, which has Apple's gateways only"
        case .domainExists(let domain, let id): "\(domain) is registered for \(id) already"
        case .domainNotRegistered(let domain, let id): "\(domain) is not registered for \(id)"
        case .certificateUnknown(let id): "there is no credential \(id)"
        case .keyKnown(let id): "credential \(id) has this key already"
        case .certificateElsewhere(let id): "this certificate belongs to credential \(id)"
        case .stateChanged(let id, let found): "\(id) has become \(found.rawValue) meanwhile"
        case .illegalMove(let id, let from, let to):
            "\(id) is \(from.rawValue) and cannot become \(to.rawValue)"
        case .anotherActive(let id):
            "\(id) cannot become active: another of its merchant and kind is"
        case .alertUnknown(let id): "there is no alert \(id)"
        case .alertOver(let id): "alert \(id) is over: its problem is gone"
        case .tokenUnknown(let id): "there is no API token \(id)"
        case .damaged(let column, _): "the database's column \(column) holds what is not ours"
        }
    }

    package var remedy: String {
        switch self {
        case .merchantUnknown: "see purser merchant list, or: purser merchant add ID"
        case .merchantExists(let id): "see: purser merchant show \(id)"
        case .merchantRetired: "use another merchant identifier, or see: purser merchant list"
        case .withoutEnvironment: "name one with --environment, such as production"
        case .environmentUnknown: "see: purser environment list"
        case .environmentExists: "use another name, or see: purser environment list"
        case .environmentBuiltIn: "leave it; a merchant uses only the environments it names"
        case .environmentInUse(_, let merchants):
            if let first = merchants.first {
                "give it others first: purser merchant set \(first) --environment NAME"
            } else {
                "see: purser merchant list"
            }
        case .realmFixed(_, let own, _, _):
            "name environments of realm \(own); see: purser environment list"
        case .realmMixed: "name environments of one realm; see: purser environment list"
        case .realmReserved: "leave --realm out, or name a realm of your own"
        case .domainExists(_, let id): "see: purser domain list \(id)"
        case .domainNotRegistered(_, let id): "see: purser domain list \(id)"
        case .certificateUnknown: "take the id from: purser certificate list"
        case .keyKnown(let id), .certificateElsewhere(let id), .stateChanged(let id, _),
            .illegalMove(let id, _, _), .anotherActive(let id):
            "see: purser certificate show \(id)"
        case .alertUnknown: "take the id from: purser alert list"
        case .alertOver: "nothing needs to be done; see: purser alert list --all"
        case .tokenUnknown: "take the id from: purser api-token list"
        case .damaged:
            "put the home back from the last backup, or report what changed this database"
        }
    }

    /// The first three, and how many more.
    private static func few(_ names: [some CustomStringConvertible]) -> String {
        let shown = names.prefix(3).map(\.description).joined(separator: ", ")
        return names.count > 3 ? "\(shown) and \(names.count - 3) more" : shown
    }

    package static var examples: [RegistryError] {
        guard let shop = try? MerchantIdentifier("merchant.com.example.shop"),
            let lab = try? EnvironmentName("lab"), let domain = try? DomainName("shop.example.com"),
            let labs = try? RealmName("lab")
        else { return [] }
        let id = CredentialIdentifier.example
        return [
            .merchantUnknown(shop), .merchantExists(shop), .merchantRetired(shop),
            .withoutEnvironment(shop), .environmentUnknown(lab), .environmentExists(lab),
            .environmentBuiltIn(.production), .environmentInUse(lab, by: [shop]),
            .realmMixed([.production, lab]),
            .realmFixed(shop, .apple, [lab], of: labs), .realmReserved(lab),
            .domainExists(domain, of: shop),
            .domainNotRegistered(domain, of: shop), .certificateUnknown(id), .keyKnown(id),
            .certificateElsewhere(id), .stateChanged(id, found: .retiring),
            .illegalMove(id, from: .retired, to: .active), .anotherActive(id),
            .alertUnknown(.example), .alertOver(.example), .tokenUnknown(.example),
            .damaged(column: "merchant", why: .badMerchantIdentifier("it is empty")),
        ]
    }
}
