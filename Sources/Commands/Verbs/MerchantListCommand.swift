import Database
import Documents
import Issuance
import Registry

/// `purser merchant list`.
enum MerchantListCommand {
    static let verb = Verb(
        "merchant", "list", summary: "list the merchants",
        examples: [Example("purser merchant list", "list all merchants")],
        needs: .home, run: run)

    static func run(_ invocation: Invocation) async throws {
        let home = try await invocation.openHome(.readOnly)
        let merchants = try await home.database.read { try MerchantRecords.list(in: $0) }
        try invocation.print(ListReport(merchants.map(MerchantDocument.init)))
    }
}
