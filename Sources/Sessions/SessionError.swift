package import Merchants
package import Problems

/// Whose matter a failed session is.
package enum Culprit: String, Sendable, Hashable, CaseIterable {
    /// The request itself, or what is registered here.
    case caller
    /// The merchant identity certificate: expired, revoked, unknown to Apple.
    case certificate
    /// The domain is not registered or verified at Apple.
    case domain
    /// The merchant is not ready at Apple.
    case merchant
    /// Apple's side.
    case apple
    /// What lies between: names, routes, proxies, TLS.
    case network
    /// This home or this process.
    case purser
}

/// Why there is no merchant session.
package enum SessionError: Explained, Equatable {
    // What is asked for, before anything leaves.
    case unknownMerchant(_ merchant: MerchantIdentifier)
    case merchantRequired(_ candidates: [MerchantIdentifier])
    case merchantNotCovered(_ merchant: MerchantIdentifier)
    case domainNotRegistered(_ domain: DomainName, merchant: MerchantIdentifier?)
    case environmentRequired(_ candidates: [EnvironmentName])
    case unknownEnvironment(_ name: EnvironmentName)
    case environmentNotAllowed(_ name: EnvironmentName, _ allowed: [EnvironmentName])
    case environmentsDisagree
    case validationURL
    case merchantRetired(_ merchant: MerchantIdentifier)
    case merchantDamaged(_ merchant: MerchantIdentifier, what: String)
    case noDisplayName(_ merchant: MerchantIdentifier)
    case noActiveIdentity(_ merchant: MerchantIdentifier)
    case keyUnavailable(_ merchant: MerchantIdentifier)
    case overloaded
    /// Apple refused the certificate so often that it is not shown there for some seconds.
    indirect case circuitOpen(_ last: SessionError)
    case stopping
    case internalFault(_ what: String)
    case homeReplaced

    // What Apple says. `said` is Apple's message with its hashes translated.
    case certificateExpired
    case certificateRefused(how: String)
    case domainRefused(said: String)
    case merchantRefused(said: String)
    case merchantIncomplete(said: String)
    case requestRefused(said: String)
    case pathUnknown
    case throttled
    case appleFailed(status: Int)
    case redirected(status: Int)
    case unexpectedStatus(_ status: Int)
    case malformedAnswer(_ what: String)
    case truncatedAnswer
    case oversizedAnswer

    // What lies between.
    case nameNotResolved(host: String)
    case unreachable(_ gateway: String)
    case connectTimedOut(_ gateway: String)
    case answerTimedOut(_ gateway: String)
    case gatewayUntrusted(_ gateway: String, why: String)
    /// Its own certificate has expired, or is not valid yet.
    case gatewayExpired(_ gateway: String, why: String)
    /// Its own certificate is for another name.
    case gatewayMisnamed(_ gateway: String)
    case tlsFailed(_ gateway: String, why: String)
    case connectionBroken(_ gateway: String)
    /// The name of a gateway of Apple's stands for an address that no public server has.
    case addressRefused(_ gateway: String, address: String, range: String)
    case proxyFailed(_ what: String)
    case proxyRefused(status: Int)
    /// Somebody answers in the gateway's place, behind the proxy or as the proxy.
    case intercepted(_ gateway: String, issuer: String)

    package var culprit: Culprit {
        switch self {
        case .unknownMerchant, .merchantRequired, .merchantNotCovered, .domainNotRegistered,
            .environmentRequired, .unknownEnvironment, .environmentNotAllowed,
            .environmentsDisagree, .validationURL:
            .caller
        case .merchantRetired, .merchantDamaged, .noDisplayName, .noActiveIdentity,
            .keyUnavailable, .overloaded, .stopping, .internalFault, .homeReplaced:
            .purser
        case .certificateExpired, .certificateRefused, .circuitOpen: .certificate
        case .domainRefused: .domain
        case .merchantRefused, .merchantIncomplete: .merchant
        case .requestRefused, .pathUnknown, .throttled, .appleFailed, .redirected,
            .unexpectedStatus, .malformedAnswer, .truncatedAnswer, .oversizedAnswer:
            .apple
        case .nameNotResolved, .unreachable, .connectTimedOut, .answerTimedOut, .gatewayUntrusted,
            .gatewayExpired, .gatewayMisnamed, .tlsFailed, .connectionBroken, .addressRefused,
            .proxyFailed, .proxyRefused,
            .intercepted:
            .network
        }
    }

    /// When it makes sense to ask again, for an answer of 503.
    package var retryAfterSeconds: Int {
        if case .circuitOpen = self { Int(CircuitBreaker.rest.components.seconds) } else { 2 }
    }

    package var code: String {
        switch self {
        case .unknownMerchant: "session.unknown-merchant"
        case .merchantRequired: "session.merchant-required"
        case .merchantNotCovered: "session.merchant-not-covered"
        case .domainNotRegistered: "session.domain-not-registered"
        case .environmentRequired: "session.environment-required"
        case .unknownEnvironment: "session.unknown-environment"
        case .environmentNotAllowed: "session.environment-not-allowed"
        case .environmentsDisagree: "session.environments-disagree"
        case .validationURL: "session.validation-url"
        case .merchantRetired: "session.merchant-retired"
        case .merchantDamaged: "session.merchant-damaged"
        case .noDisplayName: "session.no-display-name"
        case .noActiveIdentity: "session.no-active-identity"
        case .keyUnavailable: "session.key-unavailable"
        case .overloaded: "session.overloaded"
        case .circuitOpen: "session.certificate-circuit-open"
        case .stopping: "session.stopping"
        case .internalFault: "session.internal-fault"
        case .homeReplaced: "session.home-replaced"
        case .certificateExpired: "session.certificate-expired"
        case .certificateRefused: "session.certificate-refused"
        case .domainRefused: "session.domain-refused"
        case .merchantRefused: "session.merchant-refused"
        case .merchantIncomplete: "session.merchant-incomplete"
        case .requestRefused: "session.apple-refused-request"
        case .pathUnknown: "session.apple-path-unknown"
        case .throttled: "session.apple-throttled"
        case .appleFailed: "session.apple-failed"
        case .redirected: "session.apple-redirected"
        case .unexpectedStatus: "session.apple-unexpected"
        case .malformedAnswer: "session.apple-malformed"
        case .truncatedAnswer: "session.apple-truncated"
        case .oversizedAnswer: "session.apple-oversized"
        case .nameNotResolved: "session.network-name-not-resolved"
        case .unreachable: "session.network-unreachable"
        case .connectTimedOut: "session.network-connect-timed-out"
        case .answerTimedOut: "session.network-answer-timed-out"
        case .gatewayUntrusted: "session.network-gateway-untrusted"
        case .gatewayExpired: "session.network-gateway-expired"
        case .gatewayMisnamed: "session.network-gateway-misnamed"
        case .tlsFailed: "session.network-tls-failed"
        case .connectionBroken: "session.network-connection-broken"
        case .addressRefused: "session.network-address-refused"
        case .proxyFailed: "session.network-proxy-failed"
        case .proxyRefused: "session.network-proxy-refused"
        case .intercepted: "session.network-intercepted"
        }
    }

    package var nature: Nature {
        switch self {
        case .unknownMerchant, .unknownEnvironment: .notFound
        case .merchantRequired, .domainNotRegistered, .environmentRequired, .environmentsDisagree,
            .validationURL:
            .badData
        case .environmentNotAllowed, .merchantNotCovered: .denied
        case .merchantRetired, .noDisplayName, .noActiveIdentity: .conflict
        case .keyUnavailable, .merchantDamaged, .internalFault: .internalFault
        case .homeReplaced: .unavailable
        case .overloaded, .circuitOpen, .stopping: .unavailable
        case .certificateExpired, .certificateRefused, .domainRefused, .merchantRefused,
            .merchantIncomplete, .requestRefused, .pathUnknown, .throttled, .appleFailed,
            .redirected, .unexpectedStatus, .malformedAnswer, .truncatedAnswer, .oversizedAnswer:
            .refused
        case .nameNotResolved, .unreachable, .gatewayUntrusted, .gatewayExpired,
            .gatewayMisnamed, .tlsFailed, .connectionBroken,
            .addressRefused, .proxyFailed, .proxyRefused, .intercepted:
            .unreachable
        case .connectTimedOut, .answerTimedOut: .timedOut
        }
    }
}
