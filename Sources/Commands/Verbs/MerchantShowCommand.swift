import Database
import Documents
import Issuance
import Merchants
import Registry

/// `purser merchant show`.
enum MerchantShowCommand {
    static let verb = Verb(
        "merchant", "show", summary: "show one merchant with its domains and certificates",
        arguments: [.merchant],
        examples: [
            Example(
                "purser merchant show merchant.com.example.shop", "show what there is of a merchant"
            )
        ],
        needs: .home, run: run)

    static func run(_ invocation: Invocation) async throws {
        let identifier = try MerchantIdentifier(invocation[.merchant])
        let home = try await invocation.openHome(.readOnly)
        let report = try await home.database.read { transaction in
            MerchantDetailDocument(
                merchant: MerchantDocument(
                    try MerchantRecords.find(identifier, in: transaction)),
                domains: try Domains.list(of: identifier, in: transaction).map(\.text),
                certificates: try Credentials.list(merchant: identifier, in: transaction).map(
                    CredentialDocument.init))
        }
        try invocation.print(report)
    }
}
