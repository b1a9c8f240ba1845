import Database
import Issuance
import Merchants

/// `purser domain add`.
enum DomainAddCommand {
    static let verb = Verb(
        "domain", "add", summary: "register a shop's domain for a merchant",
        discussion: [
            "The name is kept as lower-case A-labels without a final dot and compared exactly; Apple knows "
                + "no wildcards."
        ],
        arguments: [.merchant, .domain],
        examples: [
            Example(
                "purser domain add merchant.com.example.shop shop.example.com", "register a domain")
        ],
        needs: .home, isAct: true, run: run)

    static func run(_ invocation: Invocation) async throws {
        let merchant = try MerchantIdentifier(invocation[.merchant])
        let domain = try DomainName(invocation[.domain])
        let home = try await invocation.openHome(.readWrite)
        let isNew = try await home.addDomain(domain, of: merchant)
        let report = DomainReport(domain: domain.text, merchant: merchant.text)
        try invocation.print(report.after(isNew ? .added : .present))
    }
}
