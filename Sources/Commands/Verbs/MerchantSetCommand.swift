import Database
import Documents
import Issuance
import Merchants

/// `purser merchant set`.
enum MerchantSetCommand {
    static let environment = Option(
        "environment", "NAME", "a gateway it may use, instead of those so far", kind: .environment,
        isRepeated: true)

    static let verb = Verb(
        "merchant", "set", summary: "change a merchant's names, team, owners or environments",
        discussion: [
            "What is not named stays as it is. --environment and --owner replace the whole list."
        ],
        arguments: [.merchant],
        options: [
            environment, MerchantAddCommand.name,
            MerchantAddCommand.displayName, MerchantAddCommand.team, MerchantAddCommand.owner,
        ],
        examples: [
            Example(
                "purser merchant set merchant.com.example.shop --display-name 'Example Shop'",
                "set what Apple's payment sheet shows")
        ],
        needs: .home, isAct: true, run: run)

    static func run(_ invocation: Invocation) async throws {
        let identifier = try MerchantIdentifier(invocation[.merchant])
        let change = try MerchantChange(invocation)
        let home = try await invocation.openHome(.readWrite)
        try invocation.print(MerchantDocument(try await home.changeMerchant(identifier, change)))
    }
}
