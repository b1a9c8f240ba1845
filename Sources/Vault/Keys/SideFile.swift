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

/// How a side file stands to the database.
package enum SideFileCondition: Sendable, Hashable {
    case fits
    case missing
    /// Its code is right and it says something else.
    case differs
    /// It is none of ours, or its code is wrong.
    case damaged
    /// Its code is under a vault key that is not at hand.
    case sealedElsewhere
}

extension HomeLayout {
    /// What the side file in `slot` says, its code unchecked: needs no key, and proves nothing.
    ///
    /// - Throws: ``VaultError/sideFileDamaged(_:)`` for what is no side file, ``FileError``.
    package func uncheckedSide(in slot: KeySlot) throws -> SideFile? {
        guard let bytes = try InputFile.readIfPresent(side(slot), limit: 1 << 16) else {
            return nil
        }
        guard let envelope = try? JSONDecoder().decode(Vault.Envelope.self, from: Data(bytes)),
            envelope.version == 1
        else { throw VaultError.sideFileDamaged(slot.shown) }
        return envelope.record
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

    /// What the side file of `expected` is worth; one that says something else may be newer.
    ///
    /// - Throws: ``FileError``, ``PKIError``.
    package func condition(of expected: SideFile, in slot: KeySlot) throws -> SideFileCondition {
        guard let bytes = try InputFile.readIfPresent(layout.side(slot), limit: 1 << 16) else {
            return .missing
        }
        guard let envelope = try? JSONDecoder().decode(Envelope.self, from: Data(bytes)),
            envelope.version == 1
        else { return .damaged }
        // A vault key that this process has not read yet.
        guard let vaultKey = keys.first(where: { $0.generation == envelope.generation }) else {
            return .sealedElsewhere
        }
        guard let code = Hexadecimal.decode(envelope.hmac),
            HMACSHA256.isValid(
                code, for: try encoded(envelope.record), key: vaultKey.sideFileKey())
        else { return .damaged }
        return envelope.record == expected ? .fits : .differs
    }

    fileprivate struct Envelope: Codable {
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
