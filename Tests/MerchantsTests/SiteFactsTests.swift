import Clocks
import Merchants
import Testing

@Suite struct SiteFactsTests {
    private let now = Timestamp(seconds: 1_800_000_000)

    private func findings(
        _ outcome: SiteOutcome, daysLeft: Int64?, failingFor seconds: Int64 = 0
    ) throws -> [Finding] {
        SiteFacts(
            merchant: try MerchantIdentifier("merchant.com.example.shop"),
            domain: try DomainName("shop.example.com"), outcome: outcome, why: "",
            notAfter: daysLeft.map { now.adding(days: $0) }, at: now,
            since: now.adding(seconds: -seconds)
        ).findings(at: now)
    }

    @Test func `a fault is critical once Apple has looked for the last time`() throws {
        for outcome in SiteOutcome.allCases {
            let far = try findings(outcome, daysLeft: 60).first?.urgency
            let near = try findings(outcome, daysLeft: 7).first?.urgency
            switch outcome {
            case .served, .unreachable: #expect(far == .fine && near == .fine)
            case .outOfDate: #expect(far == .critical && near == .critical)
            default: #expect(far == .warning && near == .critical, "\(outcome)")
            }
            for finding in try findings(outcome, daysLeft: nil) {
                #expect(finding.policy == .domainFile && finding.subject == "shop.example.com")
                #expect(finding.remedy.isEmpty == (outcome == .served))
            }
        }
    }

    @Test(
        arguments: [(Int64(0), Urgency.fine), (10_799, .fine), (10_800, .warning)]
            as [(Int64, Urgency)])
    func `a site out of reach is told after three hours`(seconds: Int64, urgency: Urgency) throws {
        #expect(
            try findings(.unreachable, daysLeft: nil, failingFor: seconds).map(\.urgency)
                == [urgency])
    }

    @Test(arguments: [
        (Int64(90), Urgency.fine, 3), (30, .fine, 2), (20, .fine, 2), (15, .fine, 1), (7, .fine, 0),
        (6, .warning, 0), (0, .critical, 0), (-1, .critical, 0),
    ])
    func `the certificate of the site counts down to Apple's dates`(
        days: Int64, urgency: Urgency, dates: Int
    ) throws {
        let finding = try #require(try findings(.served, daysLeft: days).last)
        #expect(finding.policy == .siteExpiry && finding.urgency == urgency)
        #expect(
            SiteFacts.rechecks(before: now.adding(days: days), at: now).count == dates)
    }
}
