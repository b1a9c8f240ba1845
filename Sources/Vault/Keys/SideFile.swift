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
    /// Writes the side file of a key, under a code (HMAC-SHA256) of the vault's.
    ///
    /// - Throws: ``FileError``, ``PKIError``.
    package func write(_ side: SideFile, in slot: KeySlot) throws {
        let vaultKey = try currentKey()
        let record = try encoded(side)
        let code = HMACSHA256.authenticate(record, key: vaultKey.sideFileKey())
        let envelope = Envelope(
            version: 1, generation: vaultKey.generation, record: side,
            hmac: Hexadecimal.lowercase(code))
        try DurableFile.write(
            encoded(envelope) + [UInt8(ascii: "\n")], to: layout.side(slot), replacing: true)
    }

    /// Reads a side file and checks its code; nil when there is none.
    ///
    /// - Throws: ``VaultError/sideFileDamaged(_:)``, ``FileError``.
    package func side(in slot: KeySlot) throws -> SideFile? {
        guard let bytes = try InputFile.readIfPresent(layout.side(slot), limit: 1 << 16) else {
            return nil
        }
        guard let envelope = try? JSONDecoder().decode(Envelope.self, from: Data(bytes)),
            envelope.version == 1,
            let code = Hexadecimal.decode(envelope.hmac),
            let vaultKey = keys.first(where: { $0.generation == envelope.generation }),
            HMACSHA256.isValid(
                code, for: try encoded(envelope.record), key: vaultKey.sideFileKey())
        else { throw VaultError.sideFileDamaged(slot.shown) }
        return envelope.record
    }

    private struct Envelope: Codable {
        var version: Int
        var generation: Int
        var record: SideFile
        /// Lower-case hex, over the record encoded with sorted keys and no blanks.
        var hmac: String
    }

    private func encoded(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try Array(encoder.encode(value))
    }
}
