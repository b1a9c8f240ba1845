import FoundationEssentials
import PKI
import Secrets

/// A record in plain text under a code (HMAC-SHA256) of the vault's, as JSON.
///
/// The code is over the record encoded with sorted keys and no blanks, so that whoever rewrites the
/// file with other blanks does it no harm.
private struct SealedRecord<Record: Codable>: Codable {
    var version: Int
    /// Of the vault key.
    var generation: Int
    var record: Record
    /// Lower-case hex.
    var hmac: String
}

extension VaultKey {
    /// What a code is for; none holds for another purpose.
    enum RecordPurpose: String {
        case sideFile = "purser side file"
        case backup = "purser backup manifest"
    }

    func recordKey(_ purpose: RecordPurpose) -> SecretBytes {
        HKDF.sha256(
            key: bytes, salt: [], info: Array("\(purpose.rawValue)|\(generation)".utf8), count: 32)
    }
}

extension Vault {
    /// The bytes of a file that holds `record`.
    func sealed(_ record: some Codable, for purpose: VaultKey.RecordPurpose) throws -> [UInt8] {
        let vaultKey = try currentKey()
        let code = HMACSHA256.authenticate(
            try encoded(record), key: vaultKey.recordKey(purpose))
        let whole = SealedRecord(
            version: 1, generation: vaultKey.generation, record: record,
            hmac: Hexadecimal.lowercase(code))
        return try encoded(whole) + [UInt8(ascii: "\n")]
    }

    /// The record of a file; nil when it is not one, or its code is not ours.
    func unsealed<Record: Codable>(
        _ type: Record.Type, _ bytes: [UInt8], for purpose: VaultKey.RecordPurpose
    ) throws -> Record? {
        guard
            let whole = try? JSONDecoder().decode(SealedRecord<Record>.self, from: Data(bytes)),
            whole.version == 1, let code = Hexadecimal.decode(whole.hmac),
            let vaultKey = keys.first(where: { $0.generation == whole.generation }),
            HMACSHA256.isValid(
                code, for: try encoded(whole.record), key: vaultKey.recordKey(purpose))
        else { return nil }
        return whole.record
    }

    private func encoded(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try Array(encoder.encode(value))
    }
}
