import Database
package import Ledger
package import Merchants

/// When and why a credential's use ended, as the ledger tells; times in RFC 3339, UTC.
///
/// Nil is what did not happen, and what a ledger that was begun anew by a rebuild does not know.
package struct CredentialEnding: Sendable, Equatable {
    package var revokedAt: String?
    /// A ``RevocationReason``.
    package var reason: String?
    /// When its key was first wiped.
    package var destroyedAt: String?
}

extension OpenHome {
    /// When and why a credential was revoked and destroyed.
    ///
    /// - Throws: ``DatabaseError``.
    package func ending(of credential: Credential) async throws -> CredentialEnding {
        var ending = CredentialEnding()
        guard credential.state == .revoked || credential.state == .destroyed else { return ending }
        if let revoked = try await acts(.certificateRevoked, on: credential).last {
            ending.revokedAt = revoked.at
            ending.reason = revoked.details?["reason"]
        }
        if credential.state == .destroyed {
            ending.destroyedAt = try await acts(.certificateDestroyed, on: credential).first?.at
        }
        return ending
    }

    /// The entries about the key's having left the home; oldest first.
    ///
    /// - Throws: ``DatabaseError``.
    package func exports(of credential: Credential) async throws -> [LedgerRecord] {
        try await acts(.certificateExported, on: credential)
    }

    private func acts(_ act: Act, on credential: Credential) async throws -> [LedgerRecord] {
        try await database.read { transaction in
            try Ledger.list(
                LedgerFilter(subject: credential.merchant.text, act: act), in: transaction
            ).filter { $0.details?["credential"] == credential.id.text }
        }
    }
}
