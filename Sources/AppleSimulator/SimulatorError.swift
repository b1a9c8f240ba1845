package import Merchants
package import Problems

/// Why the stand-in does not start, or what its portal refuses.
package enum SimulatorError: Explained {
    case appleHost(_ name: String)
    case cannotMint(cause: any Error)
    case cannotWrite(_ path: String)
    case unreadableRequest(cause: any Error)
    case wrongKey(expected: KeyRequirement)
    case badRequestSignature
    case badMerchant(cause: any Error)
    case unknownMerchant(_ identifier: String)
    case limitReached(_ kind: CredentialKind, limit: Int)
    case unknownCertificate(_ serialNumber: String)
    case notActivatable(_ serialNumber: String)
    case superseded(_ serialNumber: String)
    case alreadyRevoked(_ serialNumber: String)

    package var code: String {
        switch self {
        case .appleHost: "simulator.apple-host"
        case .cannotMint: "simulator.cannot-mint"
        case .cannotWrite: "simulator.cannot-write"
        case .unreadableRequest: "simulator.unreadable-request"
        case .wrongKey: "simulator.wrong-key"
        case .badRequestSignature: "simulator.bad-request-signature"
        case .badMerchant: "simulator.bad-merchant"
        case .unknownMerchant: "simulator.unknown-merchant"
        case .limitReached: "simulator.limit-reached"
        case .unknownCertificate: "simulator.unknown-certificate"
        case .notActivatable: "simulator.not-activatable"
        case .superseded: "simulator.superseded"
        case .alreadyRevoked: "simulator.already-revoked"
        }
    }

    package var summary: String {
        if let portalWords { return "the portal refuses: \(portalWords)" }
        return switch self {
        case .appleHost(let name): "a stand-in for Apple does not go by Apple's name \(name)"
        case .cannotWrite(let path): "cannot write \(path)"
        default: "the stand-in's certificates cannot be made"
        }
    }

    /// What the portal answers: Apple's own words where they are known; nil for what is no refusal.
    package var portalWords: String? {
        switch self {
        case .appleHost, .cannotMint, .cannotWrite: nil
        case .unreadableRequest: "Invalid Certificate Signing Request: it cannot be read"
        case .wrongKey(let expected):
            "CSR algorithm/size incorrect. Expected: \(expected.rawValue)"
        case .badRequestSignature:
            "Invalid Certificate Signing Request: its signature does not verify"
        case .badMerchant(let cause):
            (cause as? any Explained)?.summary ?? "This cannot be registered"
        case .unknownMerchant(let identifier): "There is no merchant ID '\(identifier.prefix(64))'"
        case .limitReached(let kind, let limit):
            "You already have \(limit) current \(kind.title) certificates"
        case .unknownCertificate(let number): "There is no certificate \(number.prefix(40))"
        case .notActivatable(let number):
            "Certificate \(number.prefix(40)) is no payment processing certificate"
        case .superseded(let number):
            "Certificate \(number.prefix(40)) was superseded; activation cannot be undone"
        case .alreadyRevoked(let number): "Certificate \(number.prefix(40)) is revoked"
        }
    }

    package var remedy: String {
        switch self {
        case .appleHost: "use example domains, and localhost for the gateway"
        case .cannotMint: "check the OpenSSL configuration of this machine"
        case .cannotWrite: "choose a folder that exists and can be written to"
        case .unreadableRequest: "send one PKCS#10 request, PEM or DER"
        case .wrongKey(let expected): "make the request with a key of \(expected.rawValue)"
        case .badRequestSignature: "sign the request with the key that is in it"
        case .badMerchant: "check the merchant identifier and its domains"
        case .unknownMerchant: "register the merchant first"
        case .limitReached: "revoke one first"
        case .unknownCertificate: "give the serial number of an issued certificate in hex"
        case .notActivatable: "activate a payment processing certificate"
        case .superseded: "request a new certificate"
        case .alreadyRevoked: "request a new certificate"
        }
    }

    package var nature: Nature {
        switch self {
        case .appleHost: .configuration
        case .cannotMint: .internalFault
        case .cannotWrite: .cannotCreate
        case .unreadableRequest, .wrongKey, .badRequestSignature, .badMerchant: .badData
        case .unknownMerchant, .unknownCertificate: .notFound
        case .limitReached, .notActivatable, .superseded, .alreadyRevoked: .conflict
        }
    }

    package var cause: (any Error)? {
        switch self {
        case .cannotMint(let cause), .unreadableRequest(let cause), .badMerchant(let cause): cause
        default: nil
        }
    }

    package static var examples: [SimulatorError] {
        let cause = MerchantsError.badMerchantIdentifier("it does not start with \"merchant.\"")
        return [
            .appleHost("apple-pay-gateway.apple.com"), .cannotMint(cause: cause),
            .cannotWrite("/nowhere/gateway-ca.pem"), .unreadableRequest(cause: cause),
            .wrongKey(expected: .rsa2048), .badRequestSignature, .badMerchant(cause: cause),
            .unknownMerchant("merchant.com.example.shop"),
            .limitReached(.merchantIdentity, limit: 3), .unknownCertificate("4F"),
            .notActivatable("4F"), .superseded("4F"), .alreadyRevoked("4F"),
        ]
    }
}

/// Whether a host name is Apple's, which this program never answers to.
func isAppleHost(_ name: some StringProtocol) -> Bool {
    var host = name.lowercased()[...]
    while host.hasSuffix(".") { host.removeLast() }
    return host == "apple.com" || host.hasSuffix(".apple.com")
}
