/// One step of one credential from a state to another, as a plan of an act.
///
/// The registry carries a move out only if the credential is still in ``from``, so two people who
/// act at once cannot both win.
package struct CredentialMove: Sendable, Hashable {
    package let credential: CredentialIdentifier
    package let from: CredentialState
    package let to: CredentialState

    package init(_ credential: CredentialIdentifier, from: CredentialState, to: CredentialState) {
        self.credential = credential
        self.from = from
        self.to = to
    }

    /// Whether an identity goes out of use because the one before it takes over again.
    package var isRollback: Bool { from == .active && to == .issued }
}

/// The edges of the state machine that a single credential may follow.
///
/// Acts plan moves with the functions below; this table is what they are tested against, and what
/// the registry refuses to leave.
package func mayMove(from: CredentialState, to: CredentialState, kind: CredentialKind) -> Bool {
    switch (from, to) {
    case (.requested, .issued), (.abandoned, .issued): true
    case (.requested, .abandoned), (.issued, .abandoned): true
    case (.issued, .active), (.active, .retiring), (.retiring, .retired): true
    // Told of an activation at Apple before we were given the certificate.
    case (.requested, .active): true
    // A rollback: the old one takes over again and the loser waits for a person.
    case (.active, .issued): kind == .merchantIdentity
    // That rollback; or a correction of what was told of an activation at Apple.
    case (.retiring, .active): true
    // Told late of an activation that a newer one has already superseded.
    case (.requested, .retiring), (.issued, .retiring): kind.isProcessing
    // `merchant retire`.
    case (.active, .retired): true
    case (.destroyed, .revoked): false
    case (_, .revoked): from != .revoked
    case (.retired, .destroyed), (.abandoned, .destroyed), (.revoked, .destroyed): true
    default: false
    }
}

// MARK: - Plans

/// What making an identity active does to the merchant's other identities.
///
/// At most one identity is selected per merchant. The one before becomes `retiring`, and what was
/// retiring already becomes `retired`. Activating a `retiring` one is a rollback: the loser goes
/// back to `issued`. Apple allows three active identities at once (TN3206), so none of this breaks
/// a call in flight.
///
/// - Throws: ``MerchantsError/wrongKindForActivate(_:)``, ``MerchantsError/notActivatable(_:_:)``.
package func planPromotion(
    of candidate: Credential, among all: [Credential]
) throws(MerchantsError) -> [CredentialMove] {
    guard candidate.kind == .merchantIdentity else {
        throw .wrongKindForActivate(candidate.id)
    }
    guard candidate.custody == .local else { throw .keyElsewhere(candidate.id) }
    let rivals = all.filter {
        $0.id != candidate.id && $0.merchant == candidate.merchant
            && $0.kind == candidate.kind && $0.custody == .local
    }
    switch candidate.state {
    case .active:
        return []
    case .issued:
        return rivals.compactMap { rival in
            switch rival.state {
            case .active: CredentialMove(rival.id, from: .active, to: .retiring)
            case .retiring: CredentialMove(rival.id, from: .retiring, to: .retired)
            default: nil
            }
        } + [CredentialMove(candidate.id, from: .issued, to: .active)]
    case .retiring:
        return rivals.filter { $0.state == .active }.map {
            CredentialMove($0.id, from: .active, to: .issued)
        } + [CredentialMove(candidate.id, from: .retiring, to: .active)]
    case .requested, .retired, .abandoned, .revoked, .destroyed:
        throw .notActivatable(candidate.id, candidate.state)
    }
}

/// What retiring a whole merchant does to one of its credentials; nil where nothing is to be done.
package func planRetirement(of credential: Credential) -> CredentialMove? {
    switch credential.state {
    case .requested, .issued:
        CredentialMove(credential.id, from: credential.state, to: .abandoned)
    case .active, .retiring:
        CredentialMove(credential.id, from: credential.state, to: .retired)
    case .retired, .abandoned, .revoked, .destroyed:
        nil
    }
}
