/// Where a credential is in its life.
package enum CredentialState: String, Sendable, Hashable, CaseIterable, Codable {
    /// A key and a CSR; no certificate yet.
    case requested
    /// A certificate that fits the key; not in use.
    case issued
    /// In use (identity: selected for sessions; processing: activated at Apple).
    case active
    /// Superseded; still usable while its successor proves itself.
    case retiring
    /// Out of use; its key is kept.
    case retired
    /// Given up before it was used.
    case abandoned
    /// Revoked at Apple, or about to be.
    case revoked
    /// The key has been wiped; the record stays.
    case destroyed
}

/// Who holds the private key.
package enum Custody: String, Sendable, Hashable, CaseIterable, Codable {
    /// This home.
    case local
    /// A payment provider, which made the CSR; never selected for use here.
    case provider
}
