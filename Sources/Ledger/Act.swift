/// What was done, by the name under which it is recorded; names are never changed once used.
package enum Act: String, Sendable, Hashable, CaseIterable, Codable {
    case homeCreated = "home.created"
    /// A copy of the home was made, or begun.
    case homeBackedUp = "home.backed-up"
    /// The home was made from a backup.
    case homeRestored = "home.restored"
    /// The records were made anew from the keys' files.
    case homeRebuilt = "home.rebuilt"
    case environmentAdded = "environment.added"
    /// The proxy that a gateway is reached through was set or taken away.
    case environmentChanged = "environment.changed"
    case environmentRemoved = "environment.removed"
    case merchantAdded = "merchant.added"
    case merchantChanged = "merchant.changed"
    case merchantRetired = "merchant.retired"
    case domainAdded = "domain.added"
    case domainRemoved = "domain.removed"
    /// An association file is kept for a domain, and served from now on.
    case associationFileKept = "domain.association-file-kept"
    /// A key was made, or a CSR of a provider's key taken in.
    case certificateRequested = "certificate.requested"
    case certificateImported = "certificate.imported"
    /// A key that a provider had held came into the home.
    case certificateTakenOver = "certificate.taken-over"
    /// A certificate that was unproven verifies to a root that has come since.
    case certificateIssuerVerified = "certificate.issuer-verified"
    /// An identity was proved with a real session.
    case certificateRehearsed = "certificate.rehearsed"
    /// An identity was put to use here.
    case certificateActivated = "certificate.activated"
    /// An activation that happened at Apple or at a provider was recorded.
    case certificateActivationRecorded = "certificate.activation-recorded"
    case certificateRetiring = "certificate.retiring"
    /// Another took over again, and this one waits for a person.
    case certificateRolledBack = "certificate.rolled-back"
    case certificateRetired = "certificate.retired"
    /// A key left the home.
    case certificateExported = "certificate.exported"
    case certificateAbandoned = "certificate.abandoned"
    case certificateRevoked = "certificate.revoked"
    /// A record was made anew from a key's files.
    case certificateRebuilt = "certificate.rebuilt"
    /// A key was wiped.
    case certificateDestroyed = "certificate.destroyed"
    /// Apple's roots, or intermediates under them, are trusted from now on.
    case trustAdded = "trust.added"
    case unlockerAdded = "unlocker.added"
    case unlockerRemoved = "unlocker.removed"
    case masterKeyRotationBegun = "master-key.rotation-begun"
    case masterKeyRotationFinished = "master-key.rotation-finished"
    /// Somebody has taken an alert on.
    case alertAcknowledged = "alert.acknowledged"
    case tokenCreated = "api-token.created"
    case tokenRevoked = "api-token.revoked"
}
