import Clocks
import Issuance
import Merchants
import PKI
import Registry

/// A domain of a merchant as JSON and as text.
struct DomainReport: Report, ReportRow {
    let domain: String
    let merchant: String
    /// What is kept for it.
    @OrNull var associationFile: AssociationEntry?

    init(_ domain: DomainName, of merchant: MerchantIdentifier, _ file: KeptAssociationFile? = nil)
    {
        self.domain = domain.text
        self.merchant = merchant.text
        associationFile = file.map(AssociationEntry.init)
    }

    static let titles = ["DOMAIN", "ASSOCIATION FILE"]
    var cells: [String] {
        let file = associationFile.map { file in
            "\(file.form) form" + (file.createdAt.map { ", made \($0)" } ?? "")
        }
        return [domain, file ?? "–"]
    }

    func text(width: Int) -> String { "\(domain)\n" }

    /// As an act has left it.
    func after(_ outcome: Outcome) -> ActReport<Self> { ActReport(self, domain, outcome) }

    /// As `domain add` has left it.
    func after(_ added: AddedDomain) -> ActReport<Self> {
        var name = domain
        switch added.file {
        case nil: break
        case .kept?: name += added.isNew ? " with its association file" : ": its association file"
        case .replaced?: name += ": its association file"
        case .present?: name += " with this association file"
        }
        let outcome: Outcome =
            added.file == .replaced ? .replaced : added.isChange ? .added : .present
        return ActReport(self, name, outcome)
    }
}

/// An association file as JSON; its keys are a contract.
struct AssociationEntry: Encodable, Sendable {
    let form: String
    @OrNull var domain: String?
    @OrNull var team: String?
    @OrNull var provider: String?
    let version: Int
    @OrNull var createdAt: Timestamp?
    /// SHA-256 of its bytes.
    let sha256: String
    /// Whether its signature is Apple's; null where nothing says.
    @OrNull var verified: Bool?

    init(_ facts: AssociationFacts, bytes: [UInt8], verified: Bool?) {
        form = facts.form.rawValue
        version = facts.version
        sha256 = Hexadecimal.lowercase(SHA256.hash(bytes))
        domain = facts.domain
        team = facts.team
        provider = facts.provider
        createdAt = facts.createdAt
        self.verified = verified
    }

    init(_ kept: KeptAssociationFile) {
        self.init(kept.facts, bytes: kept.bytes, verified: kept.isVerified ? true : nil)
    }
}
