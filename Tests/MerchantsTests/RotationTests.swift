import Clocks
import Merchants
import Testing

@Suite struct RotationTests {
    @Test func `an identity goes round without a person but for Apple's portal`() throws {
        var samples = try FactSamples(.merchantIdentity)
        let old = try samples.add(.active, left: 300, since: -400)
        #expect(samples.plan.stage == .resting && samples.plan.steps.isEmpty)

        samples.now = FactSamples.now.adding(days: 240)
        #expect(samples.plan.stage == .due && samples.plan.steps == [.request])
        #expect(samples.plan.steps[0].performer == .purser)

        var begun = samples
        let new = try begun.add(.requested, since: 240)
        #expect(begun.plan.stage == .requested && begun.plan.steps == [.submit(new)])

        var issued = samples
        try issued.add(.issued, left: 1_000, since: 241)
        #expect(issued.plan.stage == .issued && issued.plan.steps == [.promote(new)])

        var settling = try FactSamples(.merchantIdentity)
        try settling.add(.retiring, left: 60, since: 0)
        try settling.add(.active, left: 760, since: 0)
        let end = FactSamples.now.adding(days: 7)
        #expect(settling.plan.stage == .settling)
        #expect(settling.plan.steps == [.wait(old, until: end)])
        settling.now = end.adding(seconds: -1)
        #expect(settling.plan.steps == [.wait(old, until: end)])
        settling.now = end
        #expect(settling.plan.steps == [.retire(old)])
    }

    @Test func `a processing key is retired only after its quiet period`() throws {
        var samples = try FactSamples(.paymentProcessing)
        let old = try samples.add(.retiring, left: 60, since: -3, lastToken: -2)
        try samples.add(.active, left: 700, since: -3)
        let date = FactSamples.now.adding(days: 12)
        #expect(samples.plan.steps == [.wait(old, until: date)])

        // Without a token the period runs from the successor's activation, not from when we heard.
        var silent = try FactSamples(.paymentProcessing)
        try silent.add(.retiring, left: 60, since: -3)
        try silent.add(.active, left: 700, since: -3, activated: -10)
        #expect(silent.plan.steps == [.wait(old, until: FactSamples.now.adding(days: 4))])

        // Nothing has taken its place: it is all there is.
        var alone = try FactSamples(.paymentProcessing)
        try alone.add(.retiring, left: 60, since: -300)
        #expect(!alone.plan.steps.contains(.retire(old)))
    }

    @Test func `a processing certificate is activated by a person at Apple`() throws {
        var samples = try FactSamples(.paymentProcessing)
        try samples.add(.active, left: 50, since: -700)
        let new = try samples.add(.issued, left: 760)
        #expect(samples.plan.steps == [.activateAtApple(new)])
        #expect(samples.plan.steps[0].performer == .person)
        let words = samples.plan.steps[0].instructions(for: samples.merchant, .paymentProcessing)
        #expect(words.contains { $0.contains("for good") })
        #expect(words.last == "purser certificate activated \(new)")
    }

    @Test func `a provider's key is renewed by the provider`() throws {
        var samples = try FactSamples(.paymentProcessing)
        try samples.add(.active, left: 20, since: -700, provider: "Example Payments")
        #expect(samples.plan.steps == [.requestFromProvider("Example Payments")])
        let new = try samples.add(.requested, provider: "Example Payments")
        #expect(
            samples.plan.steps == [.submitForProvider(new, provider: "Example Payments")])

        var identity = try FactSamples(.merchantIdentity)
        try identity.add(.active, left: 20, since: -700, provider: "Example Payments")
        let issued = try identity.add(.issued, left: 760, provider: "Example Payments")
        #expect(
            identity.plan.steps == [.activateAtProvider(issued, provider: "Example Payments")])
    }

    @Test func `what was rolled back waits for a person, and a new one may come`() throws {
        var samples = try FactSamples(.merchantIdentity)
        try samples.add(.active, left: 40, since: -700)
        let loser = try samples.add(.issued, left: 760, activated: -3, rolledBack: true)
        #expect(samples.plan.steps == [.request, .decide(loser)])
        #expect(samples.plan.steps.filter { $0.performer == .purser } == [.request])
        #expect(samples.plan.stage == .due)
        // Where none is due, whoever asks is told of it before anything begins.
        var calm = try FactSamples(.merchantIdentity)
        try calm.add(.active, left: 400, since: -300)
        let refused = try calm.add(.issued, left: 760, activated: -3, rolledBack: true)
        #expect(calm.plan.stage == .heldBack && calm.plan.steps == [.decide(refused)])
        let next = try samples.add(.issued, left: 761)
        #expect(samples.plan.steps == [.promote(next), .decide(loser)])
    }

    @Test func `of several candidates none is promoted, and what would not last is none`() throws {
        var samples = try FactSamples(.merchantIdentity)
        try samples.add(.active, left: 40, since: -700)
        let first = try samples.add(.issued, left: 760)
        let second = try samples.add(.requested)
        #expect(samples.plan.steps == [.choose([first, second])])

        var leftover = try FactSamples(.merchantIdentity)
        try leftover.add(.active, left: 400, since: -300)
        try leftover.add(.issued, left: 100)
        try leftover.add(.issued, left: -1)
        #expect(leftover.plan.stage == .resting && leftover.plan.steps.isEmpty)
    }

    @Test func `what was lost is begun anew, and what never was in use is a person's to begin`()
        throws
    {
        var never = try FactSamples(.merchantIdentity)
        #expect(never.plan.stage == .vacant && never.plan.steps.isEmpty && !never.plan.isDue)
        try never.add(.abandoned)
        #expect(never.plan.steps.isEmpty)

        var lost = try FactSamples(.merchantIdentity)
        try lost.add(.revoked, left: 300, activated: -10)
        #expect(lost.plan.stage == .vacant && lost.plan.steps == [.request])

        var revoked = try FactSamples(.merchantIdentity)
        try revoked.add(.active, left: 300, troubles: [.revokedByIssuer])
        #expect(revoked.plan.stage == .due && revoked.plan.steps == [.request])
    }

    @Test(arguments: CredentialKind.allCases)
    func `every step says what to do in each kind`(kind: CredentialKind) throws {
        let id = CredentialIdentifier.example
        let merchant = try MerchantIdentifier("merchant.com.example.shop")
        let steps: [RotationStep] = [
            .request, .requestFromProvider("P"), .submit(id), .submitForProvider(id, provider: "P"),
            .promote(id), .activateAtApple(id), .activateAtProvider(id, provider: "P"),
            .decide(id), .choose([id]), .retire(id),
        ]
        for step in steps {
            #expect(!step.summary(for: merchant, kind).isEmpty)
            #expect(!step.instructions(for: merchant, kind).isEmpty)
            #expect(!step.name.isEmpty)
        }
        let portal = RotationStep.submit(id).instructions(for: merchant, kind)
        #expect(portal.contains { $0.contains("mainland China") } == kind.isProcessing)
    }

    @Test func `retiring and destroying too early are refused with their dates`() throws {
        let now = FactSamples.now
        func credential(_ state: CredentialState, activated: Int64, since: Int64) throws
            -> Credential
        {
            Credential(
                id: .random(), merchant: try MerchantIdentifier("merchant.com.example.shop"),
                realm: .apple, kind: .paymentProcessing, state: state, custody: .local,
                provider: nil, publicKeyHash: [UInt8](repeating: 1, count: 32),
                keyAlgorithm: "EC P-256", csr: nil, certificate: nil,
                createdAt: now.adding(days: -900), activatedAt: now.adding(days: activated),
                times: CredentialTimes(
                    stateChangedAt: now.adding(days: since),
                    retiringSince: state == .retiring ? now.adding(days: since) : nil))
        }
        let old = try credential(.retiring, activated: -800, since: -1)
        let new = try credential(.active, activated: -2, since: -1)
        let periods = RotationPeriods()
        let due = now.adding(days: 12)
        #expect(throws: MerchantsError.tooEarlyToRetire(old.id, until: due)) {
            try planRetiring(of: old, at: now, periods: periods, among: [old, new])
        }
        #expect(throws: MerchantsError.tooEarlyToRetire(old.id, until: due)) {
            try planRetiring(
                of: old, at: due.adding(seconds: -1), periods: periods, among: [old, new])
        }
        #expect(
            try planRetiring(of: old, at: due, periods: periods, among: [old, new])
                == [CredentialMove(old.id, from: .retiring, to: .retired)])

        let gone = try credential(.retired, activated: -800, since: -1)
        #expect(
            throws: MerchantsError.tooEarlyToDestroy(gone.id, until: now.adding(days: 29))
        ) { try planDestruction(of: gone, at: now, periods: periods) }
        #expect(
            try planDestruction(of: gone, at: now.adding(days: 29), periods: periods).count == 1)
        // Whoever revokes has decided about its tokens.
        let revoked = try credential(.revoked, activated: -800, since: -1)
        #expect(try planDestruction(of: revoked, at: now, periods: periods).count == 1)
    }
}
