import PKI

/// Apple's answer to a request that it does not grant.
///
/// The bodies are those seen of Apple's gateway: two strings, the status among them, and merchants
/// by the upper-case hex SHA-256 of their identifiers.
struct GatewayRefusal: Error, Equatable {
    let status: Int
    let message: String

    var body: String {
        "{\"statusMessage\":\(jsonString(message)),\"statusCode\":\"\(status)\"}"
    }

    private init(_ status: Int, _ words: String) {
        self.status = status
        message = "Payment Services Exception \(words)"
    }

    static let noSuchPath = GatewayRefusal(404, "resource not found")
    static let wrongMethod = GatewayRefusal(405, "method not allowed")
    static let misdirected = GatewayRefusal(421, "this is a simulator, not Apple")
    static let malformed = GatewayRefusal(400, "malformed request")
    static let displayNameTooLong = GatewayRefusal(400, "displayName exceeds 64 characters")
    static let initiativeUnsupported = GatewayRefusal(400, "initiative not supported")

    /// The certificate was revoked or ran out since the connection, or its TLS session, was made.
    static func notRecognised(_ merchant: String) -> GatewayRefusal {
        GatewayRefusal(401, "merchantId=\(merchantHash(merchant)) certificate not recognized")
    }

    static func unregisteredDomain(_ domain: String, _ merchant: String) -> GatewayRefusal {
        GatewayRefusal(
            400, "merchantId=\(merchantHash(merchant)) not registered for domain=\(domain)")
    }

    /// Also the answer when no payment processing certificate is active.
    static func unregisteredForService(_ merchant: String) -> GatewayRefusal {
        GatewayRefusal(417, "merchantId=\(merchantHash(merchant)) not registered for service")
    }

    static func unauthorised(_ client: String, onBehalfOf other: String) -> GatewayRefusal {
        let (one, two) = (merchantHash(client), merchantHash(other))
        return GatewayRefusal(
            417,
            "merchantId=\(one) unauthorized to process transactions on behalf of merchantId=\(two) "
                + "reason=\"\(two) never authorized mass enablement transactions to occur via \(one)\""
        )
    }

    static func unknownMerchant(_ client: String, onBehalfOf other: String) -> GatewayRefusal {
        let (one, two) = (merchantHash(client), merchantHash(other))
        return GatewayRefusal(
            417,
            "merchantId=\(one) unauthorized to process transactions on behalf of merchantId=\(two) "
                + "reason=\"\(two) is not a registered merchant in WWDR and isn't properly "
                + "authorized via Mass Enablement, either.\"")
    }

    /// A status ordered by ``RudeAct/answerStatus``, in words that fit it.
    static func ordered(_ status: Int, _ merchant: String) -> GatewayRefusal {
        switch status {
        case 401, 403: GatewayRefusal(status, notRecognised(merchant).words)
        case 417: unregisteredForService(merchant)
        case 500...599: GatewayRefusal(status, "internal error")
        default: GatewayRefusal(status, "request not granted")
        }
    }

    private var words: String { String(message.dropFirst("Payment Services Exception ".count)) }
}

/// How Apple's messages and certificates name a merchant: upper-case hex SHA-256.
func merchantHash(_ identifier: String) -> String {
    Hexadecimal.uppercase(SHA256.hash(Array(identifier.utf8)))
}
