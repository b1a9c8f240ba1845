package import Merchants
package import Registry

/// A domain of a merchant as JSON; its keys are a contract of the command line and of the HTTP API.
package struct DomainDocument: Encodable, Sendable {
    package let domain: String
    package let merchant: String
    /// What is kept for it.
    @OrNull package var associationFile: AssociationDocument?

    /// The document of `domain`, and of the association file that is kept for it.
    package init(
        _ domain: DomainName, of merchant: MerchantIdentifier, _ file: KeptAssociationFile? = nil
    ) {
        self.domain = domain.text
        self.merchant = merchant.text
        associationFile = file.map(AssociationDocument.init)
    }
}
