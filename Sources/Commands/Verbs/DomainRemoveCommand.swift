import Database
import Documents
import Issuance
import Merchants

/// `purser domain remove`.
enum DomainRemoveCommand {
    static let verb = Verb(
        "domain", "remove",
        summary: "remove a domain and its file; sessions for it are refused from then on",
        arguments: [.merchant, .knownDomain],
        examples: [
            Example(
                "purser domain remove merchant.com.example.shop old.example.com",
                "remove a domain that is no longer served")
        ],
        needs: .home, isAct: true, run: run)

    static func run(_ invocation: Invocation) async throws {
        let merchant = try MerchantIdentifier(invocation[.merchant])
        let domain = try DomainName(invocation[.domain])
        let home = try await invocation.openHome(.readWrite)
        try await home.removeDomain(domain, of: merchant)
        try invocation.print(DomainDocument(domain, of: merchant).after(.removed))
    }
}
