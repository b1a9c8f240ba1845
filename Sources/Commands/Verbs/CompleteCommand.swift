import Clocks
import Database
import Issuance
import Merchants
import Registry
import Vault

/// `purser __complete`.
enum CompleteCommand {
    /// What the completion scripts ask for.
    static let kind = Argument(
        "KIND", "what to list", kind: .values(ValueKind.known.map { "\($0)" }))
    static let owner = Argument(
        "OWNER", "the merchant whose domains or environments to list, or a credential of it",
        isOptional: true)

    static let verb = Verb(
        "__complete",
        summary: "print the home's names of one kind, one a line, for completion scripts",
        arguments: [kind, owner], needs: .nothing, isHidden: true, run: run)

    static func run(_ invocation: Invocation) async throws {
        // Completion must stay silent: whatever is wrong, there is nothing to complete.
        guard let home = try? await invocation.openHome(.readOnly) else { return }
        let wanted = ValueKind.known.first { "\($0)" == invocation[kind] } ?? .text
        let owner = invocation.optional(owner)
        if wanted == .unlocker {
            let ids = (try? home.layout.unlockers().map(\.id)) ?? []
            return try invocation.write(Array(ids.map { "\($0)\n" }.joined().utf8))
        }
        let now = invocation.context.clock.now
        let names = try? await home.database.read { transaction -> [String] in
            switch wanted {
            case .merchant:
                return try MerchantRecords.list(in: transaction).map(\.identifier.text)
            case .environment:
                return try Environments.list(in: transaction).map(\.name.text)
            case .usableEnvironment:
                guard let merchant = merchant(owner, in: transaction) else {
                    return try Environments.list(in: transaction).map(\.name.text)
                }
                return try MerchantRecords.find(merchant, in: transaction).environments.map(\.text)
            case .domain:
                guard let merchant = merchant(owner, in: transaction) else { return [] }
                return try Domains.list(of: merchant, in: transaction).map(\.text)
            case .token:
                return try APITokens.list(in: transaction).filter { $0.revokedAt == nil }
                    .map(\.id.text)
            case .alert:
                return try AlertRecords.open(in: transaction).map(\.id.text)
            default:
                return try Credentials.list(in: transaction).filter {
                    $0.suits(wanted, at: now)
                }.map(\.id.text)
            }
        }
        try invocation.write(Array((names ?? []).map { "\($0)\n" }.joined().utf8))
    }

    /// The merchant that is named, by itself or by a credential.
    private static func merchant(
        _ owner: String?, in transaction: borrowing Transaction
    ) -> MerchantIdentifier? {
        guard let owner else { return nil }
        if let id = try? CredentialIdentifier(owner) {
            return try? Credentials.find(id, in: transaction).merchant
        }
        return try? MerchantIdentifier(owner)
    }
}

extension Credential {
    /// Whether the command whose argument is of this kind can take it.
    fileprivate func suits(_ kind: ValueKind, at now: Timestamp) -> Bool {
        switch kind {
        case .activatable:
            // What is active already is no candidate: nothing would be done.
            (try? planPromotion(of: self, among: []))?.isEmpty == false
        case .recordable:
            (try? planRecordedActivation(of: self, at: now, among: []))?.isEmpty == false
        case .rehearsable:
            self.kind == .merchantIdentity && isWhole
                && [.issued, .active, .retiring].contains(state)
        case .exportable: isWhole && state != .destroyed
        case .retirable: (try? planRetiring(of: self))?.isEmpty == false
        case .abandonable: (try? planAbandoning(of: self))?.isEmpty == false
        case .revocable: (try? planRevocation(of: self, at: now, among: []))?.isEmpty == false
        case .destroyable: (try? planDestruction(of: self))?.isEmpty == false
        default: true
        }
    }

    /// Key and certificate are both here.
    private var isWhole: Bool { custody == .local && certificate != nil }
}
