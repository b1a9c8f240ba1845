extension Argument {
    static let merchant = Argument(
        "MERCHANT", "the merchant identifier, such as merchant.com.example.shop", kind: .merchant)
    static let domain = Argument(
        "DOMAIN", "the shop's fully qualified domain name, such as shop.example.com")
    /// One that is registered already.
    static let knownDomain = Argument(domain.name, domain.help, kind: .domain)
    static let credential = credential(.credential)

    /// A credential's id, where only some can be taken.
    static func credential(_ kind: ValueKind) -> Argument {
        Argument("ID", "the credential's id, from certificate list", kind: kind)
    }
}

extension Option {
    /// The gateway to use, where a merchant may use several.
    static let environment = Option(
        "environment", "NAME", "the gateway to use (default: the merchant's only one)",
        kind: .usableEnvironment)
}
