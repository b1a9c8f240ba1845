import Database
import Documents
import Issuance
import Merchants
import Registry

/// `purser merchant retire`.
enum MerchantRetireCommand {
    static let verb = Verb(
        "merchant", "retire", summary: "take a merchant out of service with all its credentials",
        discussion: [
            "This is final: the identifier cannot be added again. Its active and retiring credentials "
                + "become retired, those not in use yet abandoned. No key is destroyed."
        ],
        arguments: [.merchant],
        examples: [
            Example(
                "purser merchant retire merchant.com.example.shop",
                "take a shop's merchant out of service")
        ],
        needs: .home, isAct: true, run: run)

    static func run(_ invocation: Invocation) async throws {
        let identifier = try MerchantIdentifier(invocation[.merchant])
        let home = try await invocation.openHome(.readWrite)
        try await home.retireMerchant(identifier)
        let merchant = try await home.database.read {
            try MerchantRecords.find(identifier, in: $0)
        }
        try invocation.print(MerchantDocument(merchant))
    }
}
