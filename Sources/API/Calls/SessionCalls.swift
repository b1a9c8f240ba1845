import Merchants
import Sessions
import WebServer

/// The checkout's call.
enum SessionCalls {
    static let all = [
        Call(
            method: "POST", path: "/v1/merchant-sessions",
            summary: "Ask Apple for a merchant session and pass its bytes on.",
            rule: .localOr(.checkout),
            body: BodyShape([
                Schema.Property(
                    "domain", .domain, "The shop's domain, as the page's address shows it."),
                .optional(
                    "merchant", .merchant,
                    "The merchant; may be left out where one alone has the domain."),
                .optional(
                    "environment", .environment,
                    "The gateway; may be left out where the merchant uses one alone."),
                .optional(
                    "validationURL", .string(Schema.Words(length: 1...512)),
                    "What the browser's onvalidatemerchant was given. It selects the gateway and is "
                        + "never fetched."),
            ]),
            answers: [
                AnswerShape(
                    200, "Apple's own bytes, which serve one payment and must not be kept.",
                    .anyObject)
            ], run: nil)
    ]

    /// Reads an order.
    ///
    /// - Throws: ``RequestError`` for the body, ``MerchantsError`` for a name in it.
    static func order(of context: CallContext) throws -> SessionOrder {
        let body = context.body
        return SessionOrder(
            domain: try DomainName(try body.required("domain")),
            merchant: try body["merchant"].map { try MerchantIdentifier($0) },
            environment: try body["environment"].map { try EnvironmentName($0) },
            validationURL: body["validationURL"], covered: context.caller.merchants)
    }
}
