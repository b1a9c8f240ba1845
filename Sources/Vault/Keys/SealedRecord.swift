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

extension VaultKey {
    /// The bytes of a file that holds `record`.
    func sealed(_ record: some Codable, for purpose: RecordPurpose) throws -> [UInt8] {
        let code = HMACSHA256.authenticate(try encoded(record), key: recordKey(purpose))
        let whole = SealedRecord(
            version: 1, generation: generation, record: record, hmac: Hexadecimal.lowercase(code))
        return try encoded(whole) + [UInt8(ascii: "\n")]
    }

    /// The record of a file; nil when it is not one, or not under this key.
    func unsealed<Record: Codable>(
        _ type: Record.Type, _ bytes: [UInt8], for purpose: RecordPurpose
    ) -> Record? {
        guard
            let whole = try? JSONDecoder().decode(SealedRecord<Record>.self, from: Data(bytes)),
            whole.version == 1, whole.generation == generation,
            let code = Hexadecimal.decode(lowercase: whole.hmac), let record = try? encoded(whole.record),
            HMACSHA256.isValid(code, for: record, key: recordKey(purpose))
        else { return nil }
        return whole.record
    }

    private func encoded(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try Array(encoder.encode(value))
    }
}
