import Clocks
import Database
import Issuance
import Merchants
import Transfers
import Watch

/// `purser domain check`.
enum DomainCheckCommand {
    static let merchant = Argument(
        Argument.merchant.name, Argument.merchant.help + "; all where it is absent",
        kind: .merchant, isOptional: true)

    static let verb = Verb(
        "domain", "check", summary: "look at the domains' sites from outside, as Apple does",
        discussion: [
            "Each site is asked for the association file under both of its names, with and without "
                + ".txt: status 200 without a redirect, the very bytes that are kept here (or, where "
                + "none are kept, a sound file for the domain and the team), by TLS 1.2 or later with a "
                + "valid certificate for the name and the full chain to a root. One of the names "
                + "suffices where the other does not exist.",
            "It tells how long the site's certificate lasts, and when Apple looks again: 30, 15 and 7 "
                + "days before. Nothing is recorded; the watch looks, too, and raises alerts.",
            "Sites of a realm of your own are believed by the roots of --gateway-ca, and all sites are "
                + "reached through the proxy of the merchant's gateway.",
        ],
        arguments: [merchant],
        examples: [
            Example("purser domain check merchant.com.example.shop", "check before verifying"),
            Example("purser domain check --json", "all domains of all merchants"),
        ],
        needs: .home, run: run)

    static func run(_ invocation: Invocation) async throws {
        let merchant = try invocation.optional(merchant).map { try MerchantIdentifier($0) }
        let home = try await invocation.openHome(.readOnly)
        let loop = try TransferLoop()
        let outcome: Result<[SiteLook], any Error>
        do {
            let survey = SiteSurvey(home: home, loop: loop)
            outcome = .success(
                try await survey.looks(of: merchant) { invocation.log($0) })
        } catch {
            outcome = .failure(error)
        }
        await loop.shutDown()
        let looks = try outcome.get()
        let report = SiteReport(looks, now: invocation.context.clock.now)
        let faulty = looks.filter { $0.outcome != .served }
        guard let first = faulty.first else { return try invocation.print(report) }
        let failure = FailureReport(
            SiteError.faulty(
                count: faulty.count, of: looks.count, first: first.site.domain, first.outcome),
            context: invocation.context)
        // The same array whatever was found, so that a script can rely on it.
        try invocation.print(report)
        throw failure.print(asJSON: false)
    }
}
