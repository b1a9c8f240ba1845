import Clocks
import Database
import Ledger
package import Merchants
import Registry

/// A merchant's fields that may be changed; nil leaves one as it is.
package struct MerchantChange: Sendable {
    package var name: String?
    package var displayName: DisplayName?
    package var team: String?
    package var owners: [String]?
    package var environments: [EnvironmentName]?

    package init() {}
}

extension OpenHome {
    /// Registers a merchant identifier in the realm of its environments.
    ///
    /// - Throws: ``RegistryError``, ``DatabaseError``.
    @discardableResult
    package func addMerchant(
        _ identifier: MerchantIdentifier, environments: [EnvironmentName], change: MerchantChange
    ) async throws -> Merchant {
        let now = clock.now
        let entry = entry(
            .merchantAdded, identifier.text,
            ["environments": environments.map(\.text).joined(separator: " ")])
        return try await database.write { transaction in
            let merchant = Merchant(
                identifier: identifier,
                realm: try Environments.realm(of: environments, in: transaction),
                environments: environments, name: change.name, displayName: change.displayName,
                team: change.team, owners: change.owners ?? [], createdAt: now, retiredAt: nil)
            try MerchantRecords.add(merchant, in: transaction)
            try Ledger.append(entry, in: transaction)
            return merchant
        }
    }

    /// Changes a merchant's fields.
    ///
    /// - Throws: ``RegistryError``, ``DatabaseError``.
    package func changeMerchant(
        _ identifier: MerchantIdentifier, _ change: MerchantChange
    ) async throws -> Merchant {
        var detail: [String: String] = [:]
        detail["name"] = change.name
        detail["displayName"] = change.displayName?.text
        detail["team"] = change.team
        detail["owners"] = change.owners?.joined(separator: " ")
        detail["environments"] = change.environments?.map(\.text).joined(separator: " ")
        if detail.isEmpty {
            return try await database.read { try MerchantRecords.findInService(identifier, in: $0) }
        }
        let entry = entry(.merchantChanged, identifier.text, detail)
        return try await database.write { transaction in
            let old = try MerchantRecords.findInService(identifier, in: transaction)
            let new = Merchant(
                identifier: identifier, realm: old.realm,
                environments: change.environments ?? old.environments,
                name: change.name ?? old.name,
                displayName: change.displayName ?? old.displayName, team: change.team ?? old.team,
                owners: change.owners ?? old.owners, createdAt: old.createdAt, retiredAt: nil)
            try MerchantRecords.update(new, in: transaction)
            try Ledger.append(entry, in: transaction)
            return new
        }
    }

    /// Takes a merchant out of service with all its credentials; no key is lost.
    ///
    /// - Throws: ``RegistryError``, ``DatabaseError``.
    package func retireMerchant(_ identifier: MerchantIdentifier) async throws {
        let now = clock.now
        try await database.write { transaction in
            let credentials = try Credentials.list(merchant: identifier, in: transaction)
            let moves = credentials.compactMap(planRetirement)
            try Credentials.apply(moves, at: now, in: transaction)
            for move in moves {
                try Credentials.setSideFileDue(true, of: move.credential, in: transaction)
                try Ledger.append(
                    entry(
                        move.to == .abandoned ? .certificateAbandoned : .certificateRetired,
                        identifier.text, ["credential": move.credential.text]), in: transaction)
            }
            try MerchantRecords.retire(identifier, at: now, in: transaction)
            try Ledger.append(entry(.merchantRetired, identifier.text), in: transaction)
        }
    }
}
