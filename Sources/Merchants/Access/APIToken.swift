package import Clocks
package import Networks

/// An API token as it is recorded: everything but the token itself.
package struct APIToken: Sendable, Hashable {
    package let id: TokenIdentifier
    /// SHA-256 of the whole token's UTF-8: it has 256 random bits, so it needs no salt and no stretching.
    package let hash: [UInt8]
    /// What it may be used for; never empty.
    package let roles: Set<Role>
    /// The only merchants that it may be used for; empty: all.
    package let merchants: Set<MerchantIdentifier>
    /// Where alone it may come from; empty: anywhere.
    package let networks: [NetworkRange]
    /// What it is for, in the words of who made it.
    package let note: String?
    package let createdAt: Timestamp
    /// From when on it is refused; nil: never.
    package let expiresAt: Timestamp?
    package let revokedAt: Timestamp?
    /// When it was last accepted, to a minute or so; nil: never yet.
    package let lastUsedAt: Timestamp?
    /// From where it was last accepted: an address, or `unix`.
    package let lastUsedFrom: String?

    package init(
        id: TokenIdentifier, hash: [UInt8], roles: Set<Role>, merchants: Set<MerchantIdentifier>,
        networks: [NetworkRange], note: String?, createdAt: Timestamp, expiresAt: Timestamp?,
        revokedAt: Timestamp? = nil, lastUsedAt: Timestamp? = nil, lastUsedFrom: String? = nil
    ) {
        self.id = id
        self.hash = hash
        self.roles = roles
        self.merchants = merchants
        self.networks = networks
        self.note = note
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.revokedAt = revokedAt
        self.lastUsedAt = lastUsedAt
        self.lastUsedFrom = lastUsedFrom
    }

    /// Why it is not accepted.
    package enum Refusal: Sendable, Hashable, CaseIterable {
        case revoked, expired
        /// It comes from an address that it is not bound to, or from one that cannot be told.
        case foreignNetwork
    }

    /// Why it is not accepted at `now` from `address`; nil: it is.
    ///
    /// `address` nil means that where it came from cannot be told.
    package func refusal(at now: Timestamp, from address: IPAddress?) -> Refusal? {
        if revokedAt != nil { return .revoked }
        if let expiresAt, expiresAt <= now { return .expired }
        guard !networks.isEmpty else { return nil }
        guard let address, networks.contains(where: { $0.contains(address) }) else {
            return .foreignNetwork
        }
        return nil
    }

    /// Whether it may be used for `merchant`.
    package func covers(_ merchant: MerchantIdentifier) -> Bool {
        merchants.isEmpty || merchants.contains(merchant)
    }

    /// The state for lists: `valid`, `expired` or `revoked`.
    package func state(at now: Timestamp) -> String {
        switch refusal(at: now, from: nil) {
        case .revoked: "revoked"
        case .expired: "expired"
        case .foreignNetwork, nil: "valid"
        }
    }
}
