import Merchants

// The sentences of SessionError, apart from its cases so that either can be read alone.
extension SessionError {
    package var summary: String {
        switch self {
        case .unknownMerchant(let merchant): "there is no merchant \(merchant) here"
        case .merchantRequired(let candidates):
            "several merchants have this domain: \(listed(candidates))"
        case .merchantNotCovered(let merchant): "this caller may not ask for \(merchant)"
        case .domainNotRegistered(let domain, let merchant?):
            "\(domain) is not a registered domain of \(merchant)"
        case .domainNotRegistered(let domain, nil):
            "\(domain) is not a registered domain of any merchant"
        case .environmentRequired(let candidates):
            "the merchant may use several environments: \(listed(candidates))"
        case .unknownEnvironment(let name): "there is no environment \(name)"
        case .environmentNotAllowed(let name, let allowed):
            "the merchant may not use \(name), only \(listed(allowed))"
        case .environmentsDisagree: "validationURL and environment name different gateways"
        case .validationURL: "validationURL is not that of a gateway which the merchant may use"
        case .merchantRetired(let merchant): "\(merchant) is retired"
        case .merchantDamaged(let merchant, let what):
            "the records of \(merchant) cannot be read: \(what)"
        case .noDisplayName(let merchant): "\(merchant) has no display name yet"
        case .noActiveIdentity(let merchant): "\(merchant) has no active merchant identity"
        case .keyUnavailable(let merchant): "the identity key of \(merchant) cannot be opened"
        case .overloaded: "too many sessions are being asked for at once"
        case .circuitOpen(let last): "not asked for some seconds: \(last.summary)"
        case .stopping: "this service is stopping"
        case .homeReplaced:
            "purser.db, its -wal or its -shm was removed or replaced while the service runs"
        case .internalFault(let what): "the request could not be sent: \(what)"
        case .certificateExpired: "Apple refused the merchant identity certificate: it has expired"
        case .certificateRefused(let how): "Apple refused the merchant identity certificate: \(how)"
        case .domainRefused(let said): "Apple refused the domain: \(said)"
        case .merchantRefused(let said): "Apple refused the merchant: \(said)"
        case .merchantIncomplete(let said): "the merchant is not ready at Apple: \(said)"
        case .requestRefused(let said): "Apple refused the request: \(said)"
        case .pathUnknown: "the gateway does not know the path /paymentservices/paymentSession"
        case .throttled: "Apple asks to slow down (429)"
        case .appleFailed(let status): "Apple's gateway failed with \(status)"
        case .redirected(let status): "the gateway answered with a redirect (\(status))"
        case .unexpectedStatus(let status): "the gateway answered with an unexpected \(status)"
        case .malformedAnswer(let what): "the gateway's answer is no session: \(what)"
        case .truncatedAnswer: "the gateway's answer breaks off"
        case .oversizedAnswer: "the gateway's answer is much larger than a session"
        case .nameNotResolved(let host): "the name \(host) does not resolve"
        case .unreachable(let gateway): "\(gateway) cannot be reached"
        case .connectTimedOut(let gateway): "connecting to \(gateway) took too long"
        case .answerTimedOut(let gateway): "\(gateway) did not answer in time"
        case .gatewayUntrusted(let gateway, let why):
            "the certificate of \(gateway) is not trusted: \(why)"
        case .gatewayExpired(let gateway, let why):
            "the certificate of \(gateway) is not valid now: \(why)"
        case .gatewayMisnamed(let gateway): "the certificate of \(gateway) is for another name"
        case .tlsFailed(let gateway, let why): "TLS with \(gateway) failed: \(why)"
        case .connectionBroken(let gateway): "\(gateway) closed the connection before it answered"
        case .addressRefused(let gateway, let address, let range):
            "\(gateway) resolves to \(address) (\(range)), which is not Apple's"
        case .proxyFailed(let what): "the proxy failed: \(what)"
        case .proxyRefused(let status): "the proxy answered CONNECT with \(status)"
        case .intercepted(let gateway, let issuer):
            "“\(issuer)” answers in place of \(gateway)"
        }
    }

    package var remedy: String {
        switch self {
        case .unknownMerchant: "see: purser merchant list"
        case .merchantRequired: "name the merchant in the request"
        case .merchantNotCovered: "use an API token that is bound to this merchant, or to none"
        case .domainNotRegistered(let domain, let merchant):
            "run: purser domain add \(merchant?.text ?? "MERCHANT") \(domain)"
        case .environmentRequired: "name one of them as \"environment\""
        case .unknownEnvironment: "see: purser environment list"
        case .environmentNotAllowed: "see: purser merchant list; purser merchant set changes it"
        case .environmentsDisagree: "leave one of the two out"
        case .validationURL:
            "leave it out, and name the gateway as \"environment\" where there are several"
        case .merchantRetired: "use another merchant identifier"
        case .merchantDamaged: "stop the service first; then put the home back from a backup"
        case .noDisplayName(let merchant):
            "run: purser merchant set \(merchant) --display-name TEXT"
        case .noActiveIdentity(let merchant):
            "run: purser certificate list \(merchant), then: purser certificate activate ID"
        case .keyUnavailable: "read the service's log; put the key file back from a backup"
        case .overloaded, .throttled: "try again in a few seconds"
        case .circuitOpen(let last): last.remedy
        case .stopping: "ask another instance, or try again after the restart"
        case .homeReplaced: "restart the service, so that it reads what lies there now"
        case .internalFault: "try again, and report it with this text if it lasts"
        case .certificateExpired:
            "request, import and activate a new merchant identity certificate"
        case .certificateRefused:
            "check in Apple's portal that this certificate is not revoked, then request a new one"
        case .domainRefused: "register and verify the domain for this merchant in Apple's portal"
        case .merchantRefused: "check in Apple's portal that the certificate is this merchant's"
        case .merchantIncomplete:
            "activate a payment processing certificate and verify the domain in Apple's portal"
        case .requestRefused: "check the merchant, its display name and the domain"
        case .pathUnknown, .redirected, .unexpectedStatus, .malformedAnswer, .oversizedAnswer:
            "check the environment's gateway: purser environment list"
        case .appleFailed, .truncatedAnswer:
            "try again; see Apple's system status page if it lasts"
        case .nameNotResolved: "check this machine's DNS: getent hosts NAME"
        case .unreachable, .connectTimedOut: "check routes and firewalls to the gateway's port"
        case .answerTimedOut: "try again; see Apple's system status page if it lasts"
        case .gatewayUntrusted:
            "check for an intercepting proxy; give a private CA with environment add --gateway-ca"
        case .gatewayExpired:
            "check this machine's clock; if it is right, tell who runs the gateway"
        case .gatewayMisnamed: "find out who answers there: purser doctor --network"
        case .tlsFailed: "check for an intercepting proxy between this machine and the gateway"
        case .connectionBroken: "try again; check firewalls that close idle connections"
        case .addressRefused:
            "check this machine's DNS, or set the proxy that resolves it: purser environment set"
        case .proxyFailed:
            "check the environment's proxy, and that it runs: purser environment list"
        case .proxyRefused(407):
            "let the proxy know this machine by its address: no password is sent"
        case .proxyRefused(403): "allow CONNECT to the gateway's host and port in the proxy's rules"
        case .proxyRefused: "check that the proxy itself can reach the gateway"
        case .intercepted: "have the proxy pass the gateway's TLS through without opening it"
        }
    }

    package static var examples: [SessionError] {
        guard let merchant = try? MerchantIdentifier("merchant.com.example.shop"),
            let domain = try? DomainName("shop.example.com")
        else { return [] }
        let gateway = "https://apple-pay-gateway.apple.com"
        let said = "merchantId=merchant.com.example.shop not registered for domain=…"
        return [
            .unknownMerchant(merchant), .merchantRequired([merchant]),
            .merchantNotCovered(merchant), .domainNotRegistered(domain, merchant: merchant),
            .domainNotRegistered(domain, merchant: nil),
            .environmentRequired([.production, .sandbox]),
            .unknownEnvironment(.sandbox), .environmentNotAllowed(.sandbox, [.production]),
            .environmentsDisagree, .validationURL,
            .merchantRetired(merchant),
            .merchantDamaged(merchant, what: "it is damaged"), .noDisplayName(merchant),
            .noActiveIdentity(merchant),
            .keyUnavailable(merchant), .overloaded, .stopping, .internalFault("libcurl 43"),
            .homeReplaced,
            .certificateExpired,
            .certificateRefused(how: "TLS alert 46, certificate unknown"),
            .domainRefused(said: said), .merchantRefused(said: said),
            .merchantIncomplete(said: said), .requestRefused(said: said), .pathUnknown, .throttled,
            .appleFailed(status: 500), .redirected(status: 302), .unexpectedStatus(204),
            .malformedAnswer("it is not JSON"), .truncatedAnswer, .oversizedAnswer,
            .gatewayExpired(gateway, why: "certificate has expired"), .gatewayMisnamed(gateway),
            .nameNotResolved(host: "gateway.example"),
            .unreachable(gateway), .connectTimedOut(gateway), .answerTimedOut(gateway),
            .gatewayUntrusted(gateway, why: "unable to get local issuer certificate"),
            .tlsFailed(gateway, why: "wrong version number"), .connectionBroken(gateway),
            .circuitOpen(.certificateExpired),
            .addressRefused(gateway, address: "10.0.0.1", range: "private"),
            .proxyFailed("cannot connect to proxy.example:3128"), .proxyRefused(status: 407),
            .proxyRefused(status: 403), .proxyRefused(status: 502),
            .intercepted(gateway, issuer: "Example Inspection CA"),
        ]
    }
}

/// At most five, so that a message stays a line.
private func listed(_ names: [some CustomStringConvertible]) -> String {
    let shown = names.prefix(5).map(\.description).joined(separator: ", ")
    return names.count > 5 ? "\(shown), …" : shown
}
