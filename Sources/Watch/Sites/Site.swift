import Database
import Issuance
package import Merchants
import PKI
package import Registry
import Transfers

/// A domain of a merchant, with all that is needed to judge what its site serves.
package struct Site: Sendable {
    package let merchant: MerchantIdentifier
    package let domain: DomainName
    /// The file kept for it; nil where none is.
    package let kept: KeptAssociationFile?
    /// Other merchants' files for the same domain.
    let others: [KeptAssociationFile]
    let teams: Set<String>
    let realm: RealmName
    let trust: RealmTrust
    /// PEM of the roots that its certificate must verify to; nil for the machine's.
    let roots: String?
    /// The proxy through which the merchant's gateway is reached, and so its sites.
    let proxy: String?

    /// Sites of Apple's merchants are on the public Internet, or Apple would not see them.
    var mustBePublic: Bool { realm == .apple }

    var subject: String { Sites.subject(domain, of: merchant) }

    /// The sites of a merchant's domains, or of all merchants' in service; `report` is told of
    /// merchants and trust that cannot be read.
    ///
    /// - Throws: `RegistryError`, `DatabaseError`.
    static func list(
        of wanted: MerchantIdentifier?, in home: OpenHome, report: (any Error) -> Void
    ) async throws -> [Site] {
        let (merchants, environments, damage) = try await home.database.read { transaction in
            var damage: [any Error] = []
            let merchants =
                if let wanted {
                    [try MerchantRecords.findInService(wanted, in: transaction)]
                } else {
                    try MerchantRecords.list(includingRetired: false, in: transaction) {
                        damage.append($1)
                    }
                }
            return (merchants, try Environments.list(in: transaction), damage)
        }
        damage.forEach(report)
        var trusts: [RealmName: RealmTrust] = [:]
        var sites: [Site] = []
        for realm in Set(merchants.map(\.realm)) {
            do { trusts[realm] = try await home.trust(of: realm) } catch { report(error) }
        }
        for merchant in merchants {
            do {
                // Without trust who signed a file is not known, and the rest is looked at.
                let trust = trusts[merchant.realm] ?? RealmTrust(roots: [], intermediates: [])
                let own = environments.filter { merchant.environments.contains($0.name) }
                sites += try await home.database.read { transaction in
                    try self.list(of: merchant, own, trust, in: transaction)
                }
            } catch {
                report(error)
            }
        }
        return sites
    }

    private static func list(
        of merchant: Merchant, _ environments: [GatewayEnvironment], _ trust: RealmTrust,
        in transaction: borrowing Transaction
    ) throws -> [Site] {
        let id = merchant.identifier
        let kept = try AssociationFiles.list(of: id, in: transaction)
        let teams = try AssociationFiles.teams(of: id, in: transaction)
        return try Domains.list(of: id, in: transaction).map { domain in
            Site(
                merchant: id, domain: domain, kept: kept[domain],
                others: try AssociationFiles.all(for: domain, in: transaction)
                    .filter { $0.merchant != id },
                teams: teams, realm: merchant.realm, trust: trust,
                roots: environments.lazy.compactMap(\.gatewayCA).first,
                proxy: environments.lazy.compactMap(\.proxy).first)
        }
    }
}
