import Database
import Documents
import Issuance
import Merchants
import Registry

/// `purser domain list`.
enum DomainListCommand {
    static let verb = Verb(
        "domain", "list",
        summary: "list a merchant's domains, and which association files are kept",
        arguments: [.merchant],
        examples: [
            Example("purser domain list merchant.com.example.shop", "list a merchant's domains")
        ],
        needs: .home, run: run)

    static func run(_ invocation: Invocation) async throws {
        let merchant = try MerchantIdentifier(invocation[.merchant])
        let home = try await invocation.openHome(.readOnly)
        let (domains, files) = try await home.database.read { transaction in
            _ = try MerchantRecords.find(merchant, in: transaction)
            return (
                try Domains.list(of: merchant, in: transaction),
                try AssociationFiles.list(of: merchant, in: transaction)
            )
        }
        try invocation.print(
            ListReport(domains.map { DomainDocument($0, of: merchant, files[$0]) }))
    }
}
