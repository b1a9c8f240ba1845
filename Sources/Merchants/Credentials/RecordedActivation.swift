package import Clocks

/// What being told of an activation at Apple does, for processing certificates and for those whose
/// key a provider holds.
///
/// Apple has one active payment processing certificate per merchant, and activation there is
/// immediate and irreversible (TN3206). If the one active here was activated later than `time`,
/// this one has been superseded already and becomes `retiring`; at the same moment, the one told
/// of now is the later one. Earlier `retiring` ones stay: tokens may still arrive under them.
///
/// A `retiring` one is put back where it is told to have been activated after the one active here:
/// what is recorded follows Apple, and whoever told the times may have been wrong. Told again with
/// the time that is known already, it stays as it is.
///
/// - Throws: ``MerchantsError/wrongKindForActivated(_:)``, ``MerchantsError/notActivatable(_:_:)``,
///   ``MerchantsError/superseded(_:by:)`` for a retiring one told of an earlier time.
package func planRecordedActivation(
    of candidate: Credential, at time: Timestamp, among all: [Credential]
) throws(MerchantsError) -> [CredentialMove] {
    guard candidate.kind.isProcessing || candidate.custody == .provider else {
        throw .wrongKindForActivated(candidate.id)
    }
    let rivals = all.filter { $0.isActiveRival(of: candidate) }
    let later = rivals.first { $0.knownActivation > time }
    switch candidate.state {
    case .active:
        return []
    case .requested, .issued:
        if candidate.kind.isProcessing, later != nil {
            return [CredentialMove(candidate.id, from: candidate.state, to: .retiring)]
        }
    case .retiring:
        if time == candidate.activatedAt { return [] }
        if let later { throw .superseded(candidate.id, by: later.id) }
    case .retired, .abandoned, .revoked, .destroyed:
        throw .notActivatable(candidate.id, candidate.state)
    }
    return rivals.map { CredentialMove($0.id, from: .active, to: .retiring) }
        + [CredentialMove(candidate.id, from: candidate.state, to: .active)]
}

/// The moment that is recorded where a day alone is told, in UTC.
///
/// What is known of that day already is what was meant. Otherwise it is the latest of the day's
/// beginning, the making of the key and the activation of the one that is active: of two that were
/// activated on one day, the one told of now is the new one.
package func activationMoment(
    onDay day: Timestamp, of candidate: Credential, among all: [Credential]
) -> Timestamp {
    func isThatDay(_ time: Timestamp) -> Bool { time >= day && time < day.adding(days: 1) }
    if candidate.state == .active || candidate.state == .retiring,
        let known = candidate.activatedAt, isThatDay(known)
    {
        return known
    }
    var moments = all.filter { $0.isActiveRival(of: candidate) }.map(\.knownActivation)
    if candidate.csr != nil { moments.append(candidate.createdAt) }
    return moments.filter(isThatDay).max() ?? day
}

extension Credential {
    /// Whether an activation of `other` at Apple ends the use of this one.
    package func isActiveRival(of other: Credential) -> Bool {
        id != other.id && merchant == other.merchant && kind == other.kind && state == .active
            && (kind.isProcessing || custody == other.custody)
    }

    fileprivate var knownActivation: Timestamp { activatedAt ?? createdAt }
}
