package import Clocks

/// When the use of what a rotation has superseded may end.

extension CredentialFacts {
    /// From when on a `retiring` credential may be retired; nil for one in another state.
    ///
    /// An identity stays as the way back for the grace period. A processing key stays until no
    /// payment token has been seen under it for the quiet period, counted from its last token or,
    /// where none was seen since, from the activation of its successor: activation at Apple
    /// propagates, and tokens arrive under the old key meanwhile (TN3206).
    package func retirableFrom(
        _ periods: RotationPeriods, among all: [CredentialFacts]
    ) -> Timestamp? {
        guard state == .retiring, let since = times.retiringSince else { return nil }
        guard kind.isProcessing else { return since.adding(days: periods.graceDays) }
        let successor = all.first { $0.id != id && $0.kind == kind && $0.state == .active }
        let begin = max(successor?.activatedAt ?? since, times.lastTokenAt ?? .distantPast)
        return begin.adding(days: periods.quietDays)
    }

    /// From when on the key of a `retired` processing credential that was in use may be destroyed;
    /// nil where nothing has to be waited for.
    ///
    /// What is revoked may be destroyed at once: whoever revokes has decided about it.
    package func destroyableFrom(_ periods: RotationPeriods) -> Timestamp? {
        guard state == .retired, kind.isProcessing, wasInUse else { return nil }
        let begin = max(times.stateChangedAt, times.lastTokenAt ?? .distantPast)
        return begin.adding(days: periods.retentionDays)
    }
}

/// What taking one credential out of use does to it, if its time has come; its key is kept.
///
/// Only a processing key under local custody has to wait: taking an identity out of use early gives
/// up the way back and nothing else, and a provider's key is the provider's.
///
/// - Throws: ``MerchantsError/tooEarlyToRetire(_:until:)``, and what ``planRetiring(of:)`` throws.
package func planRetiring(
    of credential: Credential, at now: Timestamp, periods: RotationPeriods,
    among all: [Credential]
) throws(MerchantsError) -> [CredentialMove] {
    let moves = try planRetiring(of: credential)
    let facts = CredentialFacts(credential)
    if credential.kind.isProcessing, credential.custody == .local,
        let date = facts.retirableFrom(periods, among: all.map(CredentialFacts.init)), date > now
    {
        throw .tooEarlyToRetire(credential.id, until: date)
    }
    return moves
}

/// What destroying a key does to its credential, if its time has come; the record stays for ever.
///
/// - Throws: ``MerchantsError/tooEarlyToDestroy(_:until:)``, and what ``planDestruction(of:)``
///   throws.
package func planDestruction(
    of credential: Credential, at now: Timestamp, periods: RotationPeriods
) throws(MerchantsError) -> [CredentialMove] {
    let moves = try planDestruction(of: credential)
    if let date = CredentialFacts(credential).destroyableFrom(periods), date > now {
        throw .tooEarlyToDestroy(credential.id, until: date)
    }
    return moves
}
