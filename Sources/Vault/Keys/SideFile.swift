package import Clocks
import Files
import FoundationEssentials
package import Merchants
import PKI

/// What stands beside each key in plain text, so that a home can be rebuilt without its database.
///
/// The database wins a disagreement; a side file is replaced after each commit that changes it.
package struct SideFile: Sendable, Hashable, Codable {
    package var id: String
    package var merchant: String
    package var realm: String
    package var kind: CredentialKind
    package var state: CredentialState
    package var createdAt: Timestamp
    package var activatedAt: Timestamp?
    /// Base64 of the DER.
    package var csr: String?

    /// The side file that `credential` should have.
    package init(_ credential: Credential) {
        id = credential.id.text
        merchant = credential.merchant.text
        realm = credential.realm.text
        kind = credential.kind
        state = credential.state
        createdAt = credential.createdAt
        activatedAt = credential.activatedAt
        csr = credential.csr.map { Base64.encode($0) }
    }
}

extension Vault {
    /// Writes the side file of a key, under a code of the vault's.
    ///
    /// - Throws: ``FileError``, ``PKIError``.
    package func write(_ side: SideFile, in slot: KeySlot) throws {
        try DurableFile.write(encoded(side), to: layout.side(slot), replacing: true)
    }

    /// A side file's bytes.
    func encoded(_ side: SideFile) throws -> [UInt8] {
        try sealed(side, for: .sideFile)
    }

    /// Reads a side file and checks its code; nil when there is none.
    ///
    /// - Throws: ``VaultError/sideFileDamaged(_:)``, ``FileError``.
    package func side(in slot: KeySlot) throws -> SideFile? {
        guard let bytes = try InputFile.readIfPresent(layout.side(slot), limit: 1 << 16) else {
            return nil
        }
        guard let side = try unsealed(SideFile.self, bytes, for: .sideFile) else {
            throw VaultError.sideFileDamaged(slot.shown)
        }
        return side
    }
}
