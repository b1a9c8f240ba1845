import Clocks
import Merchants
import Testing

/// Every act that ends a credential's use, over all states, kinds and custodies.
@Suite struct EndingTests {
    /// What an act comes to for one credential alone.
    enum Outcome: Equatable {
        case nothing
        case becomes(CredentialState)
        case refused(MerchantsError)
    }

    private let now = Timestamp(seconds: 1_000)

    private func forEach(
        _ body: (Credential, CredentialState, CredentialKind, Custody) throws -> Void
    ) throws {
        for state in CredentialState.allCases {
            for kind in CredentialKind.allCases {
                for custody in Custody.allCases {
                    try body(
                        try credential(state, kind: kind, custody: custody), state, kind, custody)
                }
            }
        }
    }

    private func outcome(
        _ plan: () throws(MerchantsError) -> [CredentialMove], of one: Credential
    ) -> Outcome {
        do throws(MerchantsError) {
            let moves = try plan()
            guard let move = moves.first else { return .nothing }
            #expect(moves.count == 1 && move.credential == one.id && move.from == one.state)
            #expect(mayMove(from: move.from, to: move.to, kind: one.kind))
            return .becomes(move.to)
        } catch {
            return .refused(error)
        }
    }

    @Test func `only what is superseded is retired, and a provider's at any time of its use`()
        throws
    {
        try forEach { one, state, kind, custody in
            let expected: Outcome =
                switch state {
                case .retired: .nothing
                case .retiring: .becomes(.retired)
                case .active:
                    custody == .provider
                        ? .becomes(.retired) : .refused(.inUse(one.id, kind))
                case .requested, .issued, .abandoned, .revoked, .destroyed:
                    .refused(.notRetirable(one.id, state))
                }
            #expect(
                outcome({ () throws(MerchantsError) in try planRetiring(of: one) }, of: one)
                    == expected, "\(state) \(kind) \(custody)")
        }
    }

    @Test func `only what was never in use is abandoned`() throws {
        try forEach { one, state, kind, custody in
            let expected: Outcome =
                switch state {
                case .abandoned: .nothing
                case .requested, .issued: .becomes(.abandoned)
                case .active, .retiring, .retired, .revoked, .destroyed:
                    .refused(.notAbandonable(one.id, state))
                }
            #expect(
                outcome({ () throws(MerchantsError) in try planAbandoning(of: one) }, of: one)
                    == expected, "\(state) \(kind) \(custody)")
        }
    }

    @Test func `whatever is not destroyed can be revoked`() throws {
        try forEach { one, state, kind, custody in
            let expected: Outcome =
                switch state {
                case .revoked: .nothing
                case .destroyed: .refused(.notRevocable(one.id))
                default: .becomes(.revoked)
                }
            #expect(
                outcome(
                    { () throws(MerchantsError) in
                        try planRevocation(of: one, at: now, among: [one])
                    }, of: one) == expected, "\(state) \(kind) \(custody)")
        }
    }

    @Test func `only a key of ours that is out of use is destroyed`() throws {
        try forEach { one, state, kind, custody in
            let expected: Outcome =
                switch (custody, state) {
                case (.provider, _): .refused(.keyNotOurs(one.id))
                case (.local, .destroyed): .nothing
                case (.local, .retired), (.local, .abandoned), (.local, .revoked):
                    .becomes(.destroyed)
                case (.local, _): .refused(.notDestroyable(one.id, state))
                }
            #expect(
                outcome({ () throws(MerchantsError) in try planDestruction(of: one) }, of: one)
                    == expected, "\(state) \(kind) \(custody)")
        }
    }

    @Test func `revoking the identity in use puts the retiring one back to use, and no other`()
        throws
    {
        try forEach { one, state, kind, custody in
            for rivalState in CredentialState.allCases {
                for rivalCustody in Custody.allCases {
                    for isValid in [true, false] {
                        let rival = try credential(
                            rivalState, kind: kind, custody: rivalCustody,
                            certificate: certificate(until: isValid ? 1_001 : 1_000))
                        let moves =
                            (try? planRevocation(of: one, at: now, among: [one, rival])) ?? []
                        let takesOver =
                            state == .active && kind == .merchantIdentity && custody == .local
                            && rivalState == .retiring && rivalCustody == .local && isValid
                        #expect(
                            moves.dropFirst()
                                == (takesOver
                                    ? [CredentialMove(rival.id, from: .retiring, to: .active)]
                                    : []),
                            "\(state) \(kind) \(custody), \(rivalState)")
                        #expect(moves.first.map { $0.credential == one.id } ?? true)
                    }
                }
            }
        }
    }

    @Test func `the identity of another merchant or kind does not take over`() throws {
        let active = try credential(.active)
        let processing = try credential(
            .retiring, kind: .paymentProcessing, certificate: certificate(until: 2_000))
        #expect(
            try planRevocation(of: active, at: now, among: [active, processing])
                == [CredentialMove(active.id, from: .active, to: .revoked)])
    }

    private func certificate(until seconds: Int64) -> CertificateRecord {
        CertificateRecord(
            der: [], fingerprint: "", subject: "", serialNumber: "1",
            notBefore: Timestamp(seconds: 0), notAfter: Timestamp(seconds: seconds),
            teamIdentifier: nil, issuerVerified: true)
    }
}
