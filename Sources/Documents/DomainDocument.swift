/// A domain of a merchant as JSON.
package struct DomainDocument: Encodable, Sendable {
    package let domain: String
    package let merchant: String

    package init(domain: String, merchant: String) {
        self.domain = domain
        self.merchant = merchant
    }
}
