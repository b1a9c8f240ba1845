import Clocks
import Merchants
import Testing

@Suite struct PolicyTests {
    private func urgency(_ policy: PolicyName, _ samples: FactSamples) -> Urgency? {
        KindPolicies.findings(samples.facts).first { $0.policy == policy }?.urgency
    }

    @Test(
        arguments: [
            (31, .fine), (30, .warning), (8, .warning), (7, .critical), (0, .critical),
            (-1, .critical),
        ] as [(Int64, Urgency)])
    func `days left decide`(days: Int64, urgency: Urgency) throws {
        var samples = try FactSamples(.merchantIdentity)
        try samples.add(.active, left: days, since: -300)
        #expect(self.urgency(.expiry, samples) == urgency)
        let finding = try #require(
            KindPolicies.findings(samples.facts).first { $0.policy == .expiry })
        #expect(finding.deadline == FactSamples.now.adding(days: days))
        #expect(finding.summary.contains(days < 0 ? "has expired on" : "expires in \(days) day"))
    }

    @Test func `a kind is judged by what is in use, whatever else lies about`() throws {
        var samples = try FactSamples(.merchantIdentity)
        try samples.add(.issued, left: 900)
        let active = try samples.add(.active, left: 100, since: -300)
        try samples.add(.retiring, left: 10)
        try samples.add(.revoked, left: 999)
        try samples.add(.requested)
        #expect(samples.facts.best?.id == active)
        #expect(urgency(.expiry, samples) == .fine)
    }

    @Test func `something must be in use where something is expected`() throws {
        var samples = try FactSamples(.merchantIdentity)
        #expect(urgency(.missing, samples) == .warning)
        samples.hasDomains = false
        #expect(urgency(.missing, samples) == nil)
        try samples.add(.requested)
        #expect(urgency(.missing, samples) == .fine)
        samples.hasDomains = true
        #expect(urgency(.missing, samples) == .warning)
        try samples.add(.revoked, left: 90, activated: -10)
        #expect(urgency(.missing, samples) == .critical)
        try samples.add(.active, left: 90)
        #expect(urgency(.missing, samples) == .fine)

        var processing = try FactSamples(.paymentProcessing)
        #expect(urgency(.missing, processing) == nil)
        try processing.add(.retiring, left: 90)
        #expect(urgency(.missing, processing) == .critical)
    }

    @Test func `troubles found elsewhere are told of what is in use`() throws {
        let troubles: [(CredentialTrouble, PolicyName)] = [
            (.keyMissing, .keyElsewhere), (.wrongCertificate("it is a CA's"), .wrongCertificate),
            (.revokedByIssuer, .revoked), (.refusedByApple("HTTP 403"), .refused),
        ]
        for (trouble, policy) in troubles {
            var samples = try FactSamples(.merchantIdentity)
            try samples.add(.active, left: 300)
            #expect(urgency(policy, samples) == .fine)
            var troubled = try FactSamples(.merchantIdentity)
            try troubled.add(.active, left: 300, troubles: [trouble])
            #expect(urgency(policy, troubled) == .critical)
            #expect(
                KindPolicies.findings(troubled.facts).filter { $0.urgency != .fine }
                    .map(\.policy) == [policy])
        }
    }

    @Test func `a candidate that Apple refuses is told of before it is anybody's outage`() throws {
        for (trouble, command) in [
            (.refusedByApple("HTTP 403"), "abandon"),
            (.unfinishedAtApple("no processing certificate"), "--accept-incomplete"),
        ] as [(CredentialTrouble, String)] {
            var samples = try FactSamples(.merchantIdentity)
            try samples.add(.active, left: 50, since: -700)
            let id = try samples.add(.issued, left: 760, troubles: [trouble])
            let finding = try #require(
                KindPolicies.findings(samples.facts).first { $0.policy == .refused })
            #expect(finding.urgency == .warning && finding.credential == id)
            #expect(finding.remedy.contains(command))
        }
    }

    @Test func `an issued processing certificate is told of until it is activated`() throws {
        func samples(age: Int64, left: Int64) throws -> FactSamples {
            var samples = try FactSamples(.paymentProcessing)
            try samples.add(.active, left: left, since: -700)
            try samples.add(.issued, left: 760, since: -age)
            return samples
        }
        #expect(try urgency(.notActivated, samples(age: 6, left: 50)) == .fine)
        #expect(try urgency(.notActivated, samples(age: 7, left: 50)) == .warning)
        #expect(try urgency(.notActivated, samples(age: 1, left: 30)) == .warning)
        #expect(try urgency(.notActivated, samples(age: 1, left: 7)) == .critical)
    }

    @Test func `what is known of its issuer's word is told, and silence for long is warned of`()
        throws
    {
        func finding(_ word: IssuerWord?) throws -> Finding? {
            var samples = try FactSamples(.merchantIdentity)
            try samples.add(.active, left: 300, issuerWord: word)
            return KindPolicies.findings(samples.facts).first { $0.policy == .revoked }
        }
        let now = FactSamples.now
        #expect(try finding(nil)?.summary == "not asked yet")
        #expect(try finding(.good(at: now))?.summary == "its issuer stood by it at \(now)")
        #expect(try finding(.nobodyToAsk)?.urgency == .fine)
        let two = now.adding(days: -2)
        let late = try finding(.silent(since: two, why: "could not be asked about: x"))
        #expect(late?.urgency == .warning)
        #expect(
            late?.summary
                == "its issuer has not stood by it since \(two): it could not be asked about: x")
        let fresh = try finding(.silent(since: two.adding(seconds: 1), why: "x"))
        #expect(fresh?.urgency == .fine && fresh?.remedy == "")
    }

    @Test func `a watch that was set up and never ran is told after two days`() {
        let now = FactSamples.now
        let young = now.adding(seconds: -2 * 86_400 + 1)
        #expect(HomePolicies.watchNeverRan(homeMadeAt: young, at: now) == nil)
        let old = HomePolicies.watchNeverRan(homeMadeAt: now.adding(days: -2), at: now)
        #expect(old?.policy == .watchAsleep && old?.urgency == .warning)
    }

    @Test func `several candidates, a stall and a rollback are warned of`() throws {
        var samples = try FactSamples(.merchantIdentity)
        try samples.add(.active, left: 50, since: -700)
        try samples.add(.requested, since: -13)
        #expect(urgency(.rotationStalled, samples) == nil)
        #expect(urgency(.twoCandidates, samples) == nil)
        samples.now = FactSamples.now.adding(days: 1)
        #expect(urgency(.rotationStalled, samples) == .warning)
        try samples.add(.issued, left: 760)
        #expect(urgency(.twoCandidates, samples) == .warning)
        try samples.add(.issued, left: 760, rolledBack: true)
        #expect(urgency(.rolledBack, samples) == .warning)
        // What was in use and is destroyed was in use.
        var destroyed = try FactSamples(.paymentProcessing)
        try destroyed.add(.destroyed, left: 300, activated: -10)
        #expect(urgency(.missing, destroyed) == .critical)
    }

    @Test func `Apple's limits are told of before they are met`() throws {
        var identity = try FactSamples(.merchantIdentity)
        try identity.add(.active, left: 300)
        try identity.add(.retiring, left: 40)
        #expect(urgency(.nearLimit, identity) == .fine)
        let retired = try identity.add(.retired, left: 30)
        #expect(urgency(.nearLimit, identity) == .warning)
        func advice(_ samples: FactSamples) -> Finding? {
            KindPolicies.findings(samples.facts).first { $0.policy == .nearLimit }
        }
        // The way back is never what is to be given away.
        #expect(advice(identity)?.credential == retired)
        var full = try FactSamples(.merchantIdentity)
        try full.add(.retiring, left: 40)
        try full.add(.active, left: 300)
        try full.add(.issued, left: 500)
        #expect(advice(full)?.urgency == .warning && advice(full)?.credential == nil)

        // Two processing certificates are a rotation; it is the third that Apple refuses.
        var processing = try FactSamples(.paymentProcessing)
        try processing.add(.active, left: 300)
        try processing.add(.retiring, left: 40)
        #expect(urgency(.nearLimit, processing) == .fine)
        processing.now = FactSamples.now.adding(days: 250)
        #expect(urgency(.nearLimit, processing) == .fine)  // the old one has expired by then
        var due = try FactSamples(.paymentProcessing)
        try due.add(.active, left: 60)
        try due.add(.retiring, left: 40)
        #expect(urgency(.nearLimit, due) == .warning)
        #expect(advice(due)?.remedy.contains("purser") == false)
        try processing.add(.requested)
        processing.now = FactSamples.now
        #expect(urgency(.nearLimit, processing) == .warning)
        #expect(advice(processing)?.credential == nil)
    }

    @Test func `a watch that fails for a day, or that ran in the future, is told of`() {
        let now = FactSamples.now
        func words(_ run: Int64, failing since: Int64? = nil) -> String? {
            HomePolicies.watchAsleep(
                lastRun: now.adding(seconds: run),
                failingSince: since.map { now.adding(seconds: $0) },
                why: "the disk is full", at: now
            )?.summary
        }
        #expect(words(3_600) == nil)
        #expect(words(3_601) == "the watch last ran in the future: see the clock")
        #expect(words(0, failing: -86_400) == nil)
        #expect(words(0, failing: -86_401)?.hasSuffix("Z: the disk is full") == true)
        #expect(words(-86_400 * 3, failing: -86_401) == "the watch has not run for 3 days")
    }

    @Test func `another team is told of`() throws {
        var samples = try FactSamples(.merchantIdentity)
        try samples.add(.active, left: 300, team: "AAAAAAAAAA")
        #expect(urgency(.teamChanged, samples) == .fine)
        try samples.add(.issued, left: 760, team: "BBBBBBBBBB")
        #expect(urgency(.teamChanged, samples) == .warning)
        samples.team = "BBBBBBBBBB"
        #expect(urgency(.teamChanged, samples) == .warning)
    }

    @Test func `a domain is overdue a week after it was added, or when it is lost`() throws {
        let now = FactSamples.now
        func finding(added: Int64, proven: Int64?, refused: Int64?) throws -> Finding? {
            DomainFacts(
                domain: try DomainName("shop.example.com"),
                merchant: try MerchantIdentifier("merchant.com.example.shop"),
                addedAt: now.adding(days: added), provenAt: proven.map { now.adding(days: $0) },
                refusedAt: refused.map { now.adding(days: $0) }, refusal: "not registered"
            ).finding(at: now)
        }
        #expect(try finding(added: -6, proven: nil, refused: -1)?.urgency == .fine)
        #expect(try finding(added: -7, proven: nil, refused: -1)?.urgency == .warning)
        #expect(try finding(added: -90, proven: -20, refused: -1)?.urgency == .critical)
        #expect(try finding(added: -90, proven: -1, refused: -2) == nil)
        #expect(try finding(added: -90, proven: nil, refused: nil) == nil)
    }

    @Test func `every finding that needs somebody says what to do`() throws {
        var samples = try FactSamples(.merchantIdentity)
        try samples.add(
            .active, left: 1, since: -700, team: "AAAAAAAAAA",
            troubles: [.keyMissing, .wrongCertificate("x"), .revokedByIssuer, .refusedByApple("y")])
        try samples.add(.issued, left: 760, since: -90, rolledBack: true, team: "BBBBBBBBBB")
        try samples.add(.issued, left: 760, since: -90)
        try samples.add(.requested, since: -90)
        let findings = KindPolicies.findings(samples.facts).filter { $0.urgency != .fine }
        #expect(findings.count >= 9)
        for finding in findings {
            #expect(!finding.remedy.isEmpty, "\(finding)")
            #expect(!finding.summary.contains("."[...].description + " "), "\(finding)")
        }
    }
}
