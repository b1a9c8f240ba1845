package import Clocks

/// How a credential leaves its use: what each act of a person moves.
///
/// Every plan is empty where the credential is already as the act would leave it, so that an act
/// given twice is the same as once.

/// What taking one credential out of use does to it; its key is kept.
///
/// Only what is superseded is retired. What is active here is in use, and for a processing
/// certificate Apple goes on encrypting to it: its successor comes first. A provider's may have
/// its successor elsewhere, unknown to us.
///
/// - Throws: ``MerchantsError/inUse(_:_:)``, ``MerchantsError/notRetirable(_:_:)``.
package func planRetiring(
    of credential: Credential
) throws(MerchantsError) -> [CredentialMove] {
    switch credential.state {
    case .retired:
        return []
    case .active where credential.custody == .local:
        throw .inUse(credential.id, credential.kind)
    case .active, .retiring:
        return [CredentialMove(credential.id, from: credential.state, to: .retired)]
    case .requested, .issued, .abandoned, .revoked, .destroyed:
        throw .notRetirable(credential.id, credential.state)
    }
}

/// What giving up a credential before its use does to it; its key is kept, and a certificate that
/// still turns up is taken.
///
/// - Throws: ``MerchantsError/notAbandonable(_:_:)``.
package func planAbandoning(
    of credential: Credential
) throws(MerchantsError) -> [CredentialMove] {
    switch credential.state {
    case .abandoned:
        return []
    case .requested, .issued:
        return [CredentialMove(credential.id, from: credential.state, to: .abandoned)]
    case .active, .retiring, .retired, .revoked, .destroyed:
        throw .notAbandonable(credential.id, credential.state)
    }
}

/// What a revocation does to a credential, and to the identity that takes over.
///
/// Revoking the identity in use puts the retiring one back to use, if its certificate is valid at
/// `time`: it has proved itself before. For processing nobody but Apple selects, and a provider's
/// identity was never selected here.
///
/// - Throws: ``MerchantsError/notRevocable(_:)``.
package func planRevocation(
    of credential: Credential, at time: Timestamp, among all: [Credential]
) throws(MerchantsError) -> [CredentialMove] {
    switch credential.state {
    case .revoked:
        return []
    case .destroyed:
        throw .notRevocable(credential.id)
    case .requested, .issued, .active, .retiring, .retired, .abandoned:
        break
    }
    // First, because at most one is active at any moment.
    let revocation = CredentialMove(credential.id, from: credential.state, to: .revoked)
    guard credential.state == .active, credential.kind == .merchantIdentity,
        credential.custody == .local
    else { return [revocation] }
    let successor = all.first {
        $0.id != credential.id && $0.merchant == credential.merchant
            && $0.kind == credential.kind && $0.custody == .local && $0.state == .retiring
            && ($0.certificate.map { $0.notAfter > time } ?? false)
    }
    return [revocation]
        + (successor.map { [CredentialMove($0.id, from: .retiring, to: .active)] } ?? [])
}

/// What destroying a key does to its credential; the record stays for ever.
///
/// - Throws: ``MerchantsError/notDestroyable(_:_:)``, ``MerchantsError/keyNotOurs(_:)``.
package func planDestruction(
    of credential: Credential
) throws(MerchantsError) -> [CredentialMove] {
    guard credential.custody == .local else { throw .keyNotOurs(credential.id) }
    switch credential.state {
    case .destroyed:
        return []
    case .retired, .abandoned, .revoked:
        return [CredentialMove(credential.id, from: credential.state, to: .destroyed)]
    case .requested, .issued, .active, .retiring:
        throw .notDestroyable(credential.id, credential.state)
    }
}
