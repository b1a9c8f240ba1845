import Issuance
import Merchants
import Sessions

/// `purser session`.
enum SessionCommand {
    static let verb = Verb(
        "session", summary: "ask Apple for one merchant session and print Apple's bytes",
        arguments: [.merchant, .knownDomain], options: [.environment],
        examples: [
            Example(
                "purser session merchant.com.example.shop shop.example.com", "ask for a session")
        ],
        needs: .key, run: run)

    static func run(_ invocation: Invocation) async throws {
        let order = SessionOrder(
            domain: try DomainName(invocation[.domain]),
            merchant: try MerchantIdentifier(invocation[.merchant]),
            environment: try invocation[.environment].map { try EnvironmentName($0) })
        let unlocked = try await invocation.unlockHome()
        let keeper = RosterKeeper(
            layout: unlocked.home.layout, database: unlocked.home.database,
            secret: unlocked.secret, clock: invocation.context.clock)
        let roster = try await keeper.load(only: order.merchant) { invocation.log($0) }
        let session = try await invocation.withDesk(roster: roster) { desk in
            try await desk.session(for: order)
        }
        if let refusal = session.refusal {
            invocation.warn(
                "the identity in use got no session, and the one before it did: "
                    + refusal.summary,
                hint: refusal.remedy)
        }
        // Apple's bytes as they came, with --json too: they are JSON.
        try invocation.write(session.bytes)
    }
}
