import Database
import Issuance
import Merchants
import Registry

/// `purser __complete`.
enum CompleteCommand {
    /// What the completion scripts ask for.
    static let kind = Argument(
        "KIND", "what to list", kind: .values(["merchant", "credential", "environment"]))

    static let verb = Verb(
        "__complete",
        summary: "print the home's names of one kind, one a line, for completion scripts",
        arguments: [kind], needs: .nothing, isHidden: true, run: run)

    static func run(_ invocation: Invocation) async throws {
        // Completion must stay silent: whatever is wrong, there is nothing to complete.
        guard let home = try? await invocation.openHome(.readOnly) else { return }
        let wanted = invocation[kind]
        let names = try? await home.database.read { transaction -> [String] in
            switch wanted {
            case "merchant":
                try MerchantRecords.list(in: transaction).map(\.identifier.text)
            case "environment":
                try Environments.list(in: transaction).map(\.name.text)
            default:
                try Credentials.list(in: transaction).map(\.id.text)
            }
        }
        try invocation.write(Array((names ?? []).map { "\($0)\n" }.joined().utf8))
    }
}
