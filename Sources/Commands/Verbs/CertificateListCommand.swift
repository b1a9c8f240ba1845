import Database
import Documents
import Issuance
import Merchants
import Registry

/// `purser certificate list`.
enum CertificateListCommand {
    static let merchant = Argument(
        "MERCHANT", "only this merchant's", kind: .merchant, isOptional: true)

    static let verb = Verb(
        "certificate", "list", summary: "list credentials with state and expiry",
        arguments: [merchant],
        examples: [Example("purser certificate list --json", "list all credentials for a script")],
        needs: .home, run: run)

    static func run(_ invocation: Invocation) async throws {
        let merchant = try invocation.optional(merchant).map { try MerchantIdentifier($0) }
        let home = try await invocation.openHome(.readOnly)
        let (credentials, merchants) = try await home.database.read { transaction in
            if let merchant { _ = try MerchantRecords.find(merchant, in: transaction) }
            return (
                try Credentials.list(merchant: merchant, in: transaction),
                try merchant.map { [$0] }
                    ?? MerchantRecords.list(in: transaction).map(\.identifier)
            )
        }
        try invocation.print(ListReport(credentials.map(CredentialDocument.init)))
        for merchant in merchants {
            let lost = try await home.lostKeys(of: merchant)
            guard !lost.isEmpty else { continue }
            invocation.warn(
                lost.count == 1
                    ? "1 key of \(merchant) has no record: its command did not finish"
                    : "\(lost.count) keys of \(merchant) have no record: their commands did not finish",
                hint: "the next command with the master key for this merchant records "
                    + (lost.count == 1 ? "it" : "them"))
        }
    }
}
