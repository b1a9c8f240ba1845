import Database
import Documents
import Issuance
import Merchants

/// `purser merchant add`.
enum MerchantAddCommand {
    static let identifier = Argument(
        "ID", "the merchant identifier as in Apple's portal: merchant.com.example.shop")
    static let environment = Option(
        "environment", "NAME", "a gateway it may use (default: production)", kind: .environment,
        isRepeated: true)
    static let name = Option("name", "TEXT", "a label for staff")
    static let displayName = Option(
        "display-name", "TEXT",
        "the shop's name on Apple's payment sheet; needed before the first session")
    static let team = Option("team", "ID", "Apple's ten-character team identifier")
    static let owner = Option("owner", "EMAIL", "an address that is warned", isRepeated: true)

    static let verb = Verb(
        "merchant", "add", summary: "register a merchant identifier",
        discussion: [
            "All environments of a merchant are of one realm. Production and sandbox differ by the gateway "
                + "only: the same certificates serve both."
        ],
        arguments: [identifier], options: [environment, name, displayName, team, owner],
        examples: [
            Example(
                "purser merchant add merchant.com.example.shop --display-name 'Example Shop'",
                "register a merchant for Apple's production gateway")
        ],
        needs: .home, isAct: true, run: run)

    static func run(_ invocation: Invocation) async throws {
        let identifier = try MerchantIdentifier(invocation[identifier])
        let change = try MerchantChange(invocation)
        let home = try await invocation.openHome(.readWrite)
        let merchant = try await home.addMerchant(
            identifier, environments: change.environments ?? [.production], change: change)
        try invocation.print(MerchantDocument(merchant))
    }
}

extension MerchantChange {
    /// What the flags of `merchant add` and `merchant set` say.
    ///
    /// - Throws: ``MerchantsError`` for the first that is malformed.
    init(_ invocation: Invocation) throws {
        self.init()
        name = invocation[MerchantAddCommand.name]
        displayName = try invocation[MerchantAddCommand.displayName].map { try DisplayName($0) }
        team = try invocation[MerchantAddCommand.team].map { try checkTeam($0) }
        let owners = invocation.all(MerchantAddCommand.owner)
        self.owners = owners.isEmpty ? nil : try owners.map { try checkMailAddress($0) }
        let environments = invocation.all(MerchantAddCommand.environment)
        self.environments =
            environments.isEmpty ? nil : try environments.map { try EnvironmentName($0) }
    }
}
