import Merchants
import Sessions

/// The body of `POST /v1/merchant-sessions`.
enum SessionCall {
    private static let keys = ["domain", "merchant", "environment", "validationURL"]

    /// Reads an order.
    ///
    /// - Throws: ``RequestError`` for the body, ``MerchantsError`` for a name in it.
    static func order(from body: [UInt8]) throws -> SessionOrder {
        let members = try FlatJSON.members(of: body, allowed: keys)
        guard let domain = members["domain"] else { throw RequestError.missingKey("domain") }
        return SessionOrder(
            domain: try DomainName(domain),
            merchant: try members["merchant"].map { try MerchantIdentifier($0) },
            environment: try members["environment"].map { try EnvironmentName($0) },
            validationURL: members["validationURL"])
    }
}
