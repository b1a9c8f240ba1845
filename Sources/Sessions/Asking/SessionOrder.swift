package import Merchants

/// What a checkout asks for, already in canonical form.
package struct SessionOrder: Sendable, Hashable {
    package let domain: DomainName
    /// nil: the one merchant that has the domain.
    package let merchant: MerchantIdentifier?
    /// nil: the merchant's only environment, or the one that ``validationURL`` names.
    package let environment: EnvironmentName?
    /// What the browser handed out; it selects the environment and is never fetched.
    package let validationURL: String?
    /// The merchants that alone whoever asks may ask for; empty: all.
    package let covered: Set<MerchantIdentifier>

    /// Whether whoever asks may ask for `merchant`.
    func covers(_ merchant: MerchantIdentifier) -> Bool {
        covered.isEmpty || covered.contains(merchant)
    }

    package init(
        domain: DomainName, merchant: MerchantIdentifier?, environment: EnvironmentName? = nil,
        validationURL: String? = nil, covered: Set<MerchantIdentifier> = []
    ) {
        self.domain = domain
        self.merchant = merchant
        self.environment = environment
        self.validationURL = validationURL
        self.covered = covered
    }
}
