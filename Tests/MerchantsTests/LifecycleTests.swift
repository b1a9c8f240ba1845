import Clocks
import Merchants
import Testing

@Suite struct LifecycleTests {
    @Test func `a first identity becomes active and nothing else moves`() throws {
        let first = try credential(.issued)
        #expect(
            try planPromotion(of: first, among: [first])
                == [CredentialMove(first.id, from: .issued, to: .active)])
    }

    @Test func `a new identity makes the old one retiring and the retiring one retired`() throws {
        let new = try credential(.issued)
        let old = try credential(.active)
        let older = try credential(.retiring)
        let elsewhere = try credential(.active, custody: .provider)
        let moves = try planPromotion(of: new, among: [new, old, older, elsewhere])
        #expect(
            Set(moves) == [
                CredentialMove(older.id, from: .retiring, to: .retired),
                CredentialMove(old.id, from: .active, to: .retiring),
                CredentialMove(new.id, from: .issued, to: .active),
            ])
        #expect(moves.last?.credential == new.id, "at most one is active at any moment")
    }

    @Test func `a rollback sends the loser back to issued`() throws {
        let old = try credential(.retiring)
        let new = try credential(.active)
        #expect(
            try planPromotion(of: old, among: [old, new]) == [
                CredentialMove(new.id, from: .active, to: .issued),
                CredentialMove(old.id, from: .retiring, to: .active),
            ])
    }

    @Test func `activating what is active already moves nothing`() throws {
        let active = try credential(.active)
        #expect(try planPromotion(of: active, among: [active]).isEmpty)
    }

    @Test(arguments: [CredentialState.requested, .retired, .abandoned, .revoked, .destroyed])
    func `an identity without use cannot become active`(state: CredentialState) throws {
        let one = try credential(state)
        #expect(throws: MerchantsError.notActivatable(one.id, state)) {
            try planPromotion(of: one, among: [one])
        }
    }

    @Test func `each kind is activated by its own act`() throws {
        let processing = try credential(.issued, kind: .paymentProcessing)
        let identity = try credential(.issued)
        #expect(throws: MerchantsError.wrongKindForActivate(processing.id)) {
            try planPromotion(of: processing, among: [])
        }
        #expect(throws: MerchantsError.wrongKindForActivated(identity.id)) {
            try planRecordedActivation(of: identity, at: Timestamp(seconds: 0), among: [])
        }
    }

    @Test func `a recorded activation supersedes the one before, and leaves retiring ones`() throws
    {
        let new = try credential(.issued, kind: .paymentProcessing)
        let old = try credential(.active, kind: .paymentProcessing, activatedAt: 100)
        let older = try credential(.retiring, kind: .paymentProcessing, activatedAt: 50)
        #expect(
            try planRecordedActivation(
                of: new, at: Timestamp(seconds: 200), among: [new, old, older])
                == [
                    CredentialMove(old.id, from: .active, to: .retiring),
                    CredentialMove(new.id, from: .issued, to: .active),
                ])
    }

    @Test func `an activation told late is already superseded`() throws {
        let late = try credential(.requested, kind: .paymentProcessing)
        let current = try credential(.active, kind: .paymentProcessing, activatedAt: 300)
        #expect(
            try planRecordedActivation(
                of: late, at: Timestamp(seconds: 200), among: [late, current])
                == [CredentialMove(late.id, from: .requested, to: .retiring)])
    }

    @Test func `of two activations told for one moment the later word counts`() throws {
        let new = try credential(.issued, kind: .paymentProcessing)
        let current = try credential(.active, kind: .paymentProcessing, activatedAt: 300)
        #expect(
            try planRecordedActivation(
                of: new, at: Timestamp(seconds: 300), among: [new, current])
                == [
                    CredentialMove(current.id, from: .active, to: .retiring),
                    CredentialMove(new.id, from: .issued, to: .active),
                ])
    }

    @Test(arguments: [
        (CredentialKind.paymentProcessing, Custody.local), (.paymentProcessing, .provider),
        (.merchantIdentity, .provider),
    ])
    func `a retiring one is put back by a later time alone`(
        kind: CredentialKind, custody: Custody
    ) throws {
        let old = try credential(.retiring, kind: kind, custody: custody, activatedAt: 100)
        let current = try credential(.active, kind: kind, custody: custody, activatedAt: 300)
        let all = [old, current]
        #expect(
            try planRecordedActivation(of: old, at: Timestamp(seconds: 300), among: all)
                == [
                    CredentialMove(current.id, from: .active, to: .retiring),
                    CredentialMove(old.id, from: .retiring, to: .active),
                ])
        #expect(
            try planRecordedActivation(of: old, at: Timestamp(seconds: 100), among: all).isEmpty)
        #expect(throws: MerchantsError.superseded(old.id, by: current.id)) {
            try planRecordedActivation(of: old, at: Timestamp(seconds: 299), among: all)
        }
    }

    @Test func `a day alone is after what else was activated on it`() throws {
        let day = Timestamp(seconds: 5 * 86_400)
        let noon = day.adding(seconds: 43_200)
        func moment(
            _ state: CredentialState, known: Int64? = nil, rival: Timestamp?
        ) throws -> Timestamp {
            let one = try credential(state, kind: .paymentProcessing, activatedAt: known)
            let other = try rival.map {
                try credential(.active, kind: .paymentProcessing, activatedAt: $0.seconds)
            }
            return activationMoment(onDay: day, of: one, among: [one] + [other].compactMap { $0 })
        }
        #expect(try moment(.issued, rival: nil) == day)
        #expect(try moment(.issued, rival: noon) == noon)
        #expect(try moment(.issued, rival: day.adding(seconds: -1)) == day)
        #expect(try moment(.issued, rival: day.adding(days: 1)) == day)
        // What is known of the day is what was meant: a script that is run again changes nothing.
        #expect(try moment(.active, known: noon.seconds, rival: nil) == noon)
        #expect(try moment(.retiring, known: day.seconds, rival: noon) == day)
        #expect(try moment(.retiring, known: 0, rival: noon) == noon)
    }

    @Test func `a provider's identity stands beside the selected one`() throws {
        let provider = try credential(.issued, custody: .provider)
        let selected = try credential(.active)
        #expect(
            try planRecordedActivation(
                of: provider, at: Timestamp(seconds: 9), among: [provider, selected])
                == [CredentialMove(provider.id, from: .issued, to: .active)])
    }

    @Test func `every planned move is an edge of the state machine`() throws {
        for kind in CredentialKind.allCases {
            for state in CredentialState.allCases {
                for rival in CredentialState.allCases {
                    let one = try credential(state, kind: kind, activatedAt: 10)
                    let other = try credential(rival, kind: kind, activatedAt: 20)
                    let plans: [[CredentialMove]] = [
                        (try? planPromotion(of: one, among: [one, other])) ?? [],
                        (try? planRecordedActivation(
                            of: one, at: Timestamp(seconds: 15), among: [one, other])) ?? [],
                        (try? planRecordedActivation(
                            of: one, at: Timestamp(seconds: 25), among: [one, other])) ?? [],
                        planRetirement(of: one).map { [$0] } ?? [],
                        (try? planRetiring(of: one)) ?? [],
                        (try? planAbandoning(of: one)) ?? [],
                        (try? planRevocation(
                            of: one, at: Timestamp(seconds: 15), among: [one, other])) ?? [],
                        (try? planDestruction(of: one)) ?? [],
                    ]
                    for move in plans.flatMap({ $0 }) {
                        #expect(mayMove(from: move.from, to: move.to, kind: kind), "\(move)")
                    }
                }
            }
        }
    }
}

func credential(
    _ state: CredentialState, kind: CredentialKind = .merchantIdentity, custody: Custody = .local,
    activatedAt: Int64? = nil, certificate: CertificateRecord? = nil
) throws -> Credential {
    Credential(
        id: .random(), merchant: try MerchantIdentifier("merchant.com.example.shop"),
        realm: .apple, kind: kind, state: state, custody: custody,
        provider: custody == .provider ? "acme" : nil, publicKeyHash: [], keyAlgorithm: "RSA 2048",
        csr: nil, certificate: certificate, createdAt: Timestamp(seconds: 0),
        activatedAt: activatedAt.map { Timestamp(seconds: $0) })
}
