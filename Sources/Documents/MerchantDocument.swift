package import Clocks
package import Merchants

/// A merchant as JSON; its keys are a contract of the command line and of the HTTP API.
package struct MerchantDocument: Encodable, Sendable {
    package let id: String
    package let realm: String
    package let environments: [String]
    @OrNull package var name: String?
    @OrNull package var displayName: String?
    @OrNull package var team: String?
    package let owners: [String]
    package let createdAt: Timestamp
    @OrNull package var retiredAt: Timestamp?

    /// The document of `merchant`.
    package init(_ merchant: Merchant) {
        id = merchant.identifier.text
        realm = merchant.realm.text
        environments = merchant.environments.map(\.text)
        owners = merchant.owners
        createdAt = merchant.createdAt
        name = merchant.name
        displayName = merchant.displayName?.text
        team = merchant.team
        retiredAt = merchant.retiredAt
    }
}

/// A merchant with its domains and credentials: the keys of both, and `domains`, `certificates`.
package struct MerchantDetailDocument: Encodable, Sendable {
    package let merchant: MerchantDocument
    package let domains: [String]
    package let certificates: [CredentialDocument]

    private enum Keys: String, CodingKey { case domains, certificates }

    package init(
        merchant: MerchantDocument, domains: [String], certificates: [CredentialDocument]
    ) {
        self.merchant = merchant
        self.domains = domains
        self.certificates = certificates
    }

    package func encode(to encoder: any Encoder) throws {
        try merchant.encode(to: encoder)
        var more = encoder.container(keyedBy: Keys.self)
        try more.encode(domains, forKey: .domains)
        try more.encode(certificates, forKey: .certificates)
    }
}
