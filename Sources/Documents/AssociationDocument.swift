package import Clocks
package import Merchants
import PKI
package import Registry

/// An association file as JSON; its keys are a contract.
package struct AssociationDocument: Encodable, Sendable {
    package let form: String
    @OrNull package var domain: String?
    @OrNull package var team: String?
    @OrNull package var provider: String?
    package let version: Int
    @OrNull package var createdAt: Timestamp?
    /// SHA-256 of its bytes.
    package let sha256: String
    /// Whether its signature is Apple's; null where nothing says.
    @OrNull package var verified: Bool?

    /// The document of `bytes`, which are of a file with these facts.
    package init(_ facts: AssociationFacts, bytes: [UInt8], verified: Bool?) {
        form = facts.form.rawValue
        version = facts.version
        sha256 = Hexadecimal.lowercase(SHA256.hash(bytes))
        domain = facts.domain
        team = facts.team
        provider = facts.provider
        createdAt = facts.createdAt
        self.verified = verified
    }

    /// The document of a file that is kept.
    package init(_ kept: KeptAssociationFile) {
        self.init(kept.facts, bytes: kept.bytes, verified: kept.isVerified ? true : nil)
    }
}
