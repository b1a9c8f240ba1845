extension Argument {
    static let merchant = Argument(
        "MERCHANT", "the merchant identifier, such as merchant.com.example.shop", kind: .merchant)
    static let domain = Argument(
        "DOMAIN", "the shop's fully qualified domain name, such as shop.example.com")
    static let credential = Argument(
        "ID", "the credential's id, from certificate list", kind: .credential)
}

extension Option {
    /// The gateway to use, where a merchant may use several.
    static let environment = Option(
        "environment", "NAME", "the gateway to use (default: the merchant's only one)",
        kind: .environment)
}
