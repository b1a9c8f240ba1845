package import Clocks

/// One merchant identifier with what its sessions need.
package struct Merchant: Sendable, Hashable {
    package let identifier: MerchantIdentifier
    package let realm: RealmName
    /// The gateways it may use, all of ``realm``.
    package let environments: [EnvironmentName]
    /// A label for staff.
    package let name: String?
    /// What Apple's sheet shows; required before the first session.
    package let displayName: DisplayName?
    /// Apple's ten-character team identifier, when told.
    package let team: String?
    /// Mail addresses of those who are warned.
    package let owners: [String]
    package let createdAt: Timestamp
    /// When all its credentials were retired; nil while in service.
    package let retiredAt: Timestamp?

    package init(
        identifier: MerchantIdentifier, realm: RealmName, environments: [EnvironmentName],
        name: String?, displayName: DisplayName?, team: String?, owners: [String],
        createdAt: Timestamp, retiredAt: Timestamp?
    ) {
        self.identifier = identifier
        self.realm = realm
        self.environments = environments
        self.name = name
        self.displayName = displayName
        self.team = team
        self.owners = owners
        self.createdAt = createdAt
        self.retiredAt = retiredAt
    }
}
