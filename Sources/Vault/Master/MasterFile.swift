import Clocks
import FoundationEssentials
import PKI
import Secrets

/// The contents of `master.json`: the vault keys, each wrapped under every unlocker.
///
/// A box is AES-256-GCM under the unlocker's key: 12-byte nonce, ciphertext, 16-byte tag, in
/// base64. Everything else in the record is its additional data, so that nothing of it can be
/// changed unnoticed.
struct MasterFile: Codable {
    /// The version of this format.
    var version = 1
    /// The generation that new files are written under.
    var generation: Int
    var unlockers: [Unlocker]

    struct Unlocker: Codable {
        /// 16 lower-case hex digits drawn at random; also the salt of a key file's derivation.
        var id: String
        var kind: UnlockerKind
        var createdAt: Timestamp
        /// For a passphrase alone.
        var scrypt: ScryptParameters?
        var wrapped: [WrappedKey]
    }

    struct WrappedKey: Codable {
        var generation: Int
        /// Base64.
        var box: String
    }

    /// scrypt (RFC 7914) as it was run for a passphrase.
    struct ScryptParameters: Codable {
        var n: UInt64
        var r: UInt64
        var p: UInt64
        /// Base64 of 16 bytes.
        var salt: String

        /// What new passphrases are stretched with: 128 MiB and about a third of a second.
        static func fresh() -> ScryptParameters {
            ScryptParameters(
                n: Scrypt.Parameters.standard.n, r: Scrypt.Parameters.standard.r,
                p: Scrypt.Parameters.standard.p,
                salt: Base64.encode(SecretBytes.random(count: 16).withUnsafeBytes { Array($0) }))
        }

        /// For the derivation, which refuses a price that no honest file asks.
        var price: Scrypt.Parameters { Scrypt.Parameters(n: n, r: r, p: p) }
    }

    static let currentVersion = 1
    /// More than any real file needs.
    static let sizeLimit = 1 << 20
    /// More unlockers than any home has a use for.
    static let unlockerLimit = 32
    /// The vault key in use, and the next one while a rotation is under way.
    static let wrappedLimit = 2
    /// What all passphrases together may cost, because opening tries one after the other: that of
    /// 16 new ones, some six seconds.
    static let workLimit = 16 * (Scrypt.Parameters.standard.work ?? 0)

    // MARK: Encoding

    /// The file's bytes.
    func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try Array(encoder.encode(self)) + [UInt8(ascii: "\n")]
    }

    /// Reads a file.
    ///
    /// - Throws: ``VaultError/masterDamaged(_:)``, ``VaultError/masterNewer(_:)``,
    ///   ``VaultError/masterTooCostly(_:)``.
    init(decoding bytes: [UInt8]) throws(VaultError) {
        struct Version: Decodable { var version: Int }
        let data = Data(bytes)
        guard let version = try? JSONDecoder().decode(Version.self, from: data).version else {
            throw .masterDamaged("it is not JSON with a version")
        }
        guard version == Self.currentVersion else { throw .masterNewer(version) }
        guard let file = try? JSONDecoder().decode(MasterFile.self, from: data) else {
            throw .masterDamaged("a field is missing or of the wrong type")
        }
        guard !file.unlockers.isEmpty else { throw .masterDamaged("it has no unlocker") }
        try file.checkPrice()
        self = file
    }

    /// Refuses a file that would take longer to try than anybody waits, before anything is tried.
    private func checkPrice() throws(VaultError) {
        guard unlockers.count <= Self.unlockerLimit else {
            throw .masterTooCostly(
                "\(unlockers.count) unlockers, more than \(Self.unlockerLimit)")
        }
        guard unlockers.allSatisfy({ $0.wrapped.count <= Self.wrappedLimit }) else {
            throw .masterTooCostly("more than \(Self.wrappedLimit) vault keys for one unlocker")
        }
        var work: UInt64 = 0
        for unlocker in unlockers {
            guard let scrypt = unlocker.scrypt else { continue }
            // Within these bounds neither the product nor a sum of them can overflow.
            guard let price = scrypt.price.work else {
                throw .masterDamaged("the scrypt parameters are out of bounds")
            }
            work += price
        }
        guard work <= Self.workLimit else {
            let times = work / max(1, Self.workLimit / 16)
            throw .masterTooCostly("scrypt \(times) times as long as for one passphrase")
        }
    }

    init(generation: Int, unlockers: [Unlocker]) {
        self.generation = generation
        self.unlockers = unlockers
    }
}

// MARK: - Wrapping

extension MasterFile.Unlocker {
    /// A new unlocker that opens `keys`.
    static func make(
        secret: UnlockSecret, keys: [VaultKey], at now: Timestamp
    ) throws -> MasterFile.Unlocker {
        var unlocker = MasterFile.Unlocker(
            id: Hexadecimal.lowercase(SecretBytes.random(count: 8).withUnsafeBytes { Array($0) }),
            kind: secret.kind, createdAt: now,
            scrypt: secret.kind == .passphrase ? .fresh() : nil, wrapped: [])
        let wrapping = try unlocker.wrappingKey(from: secret)
        for key in keys {
            let box = try SealedBox.seal(
                key.bytes, key: wrapping,
                additionalData: unlocker.additionalData(generation: key.generation))
            unlocker.wrapped.append(
                MasterFile.WrappedKey(generation: key.generation, box: Base64.encode(box)))
        }
        return unlocker
    }

    /// The vault keys, or nil if the secret is not this unlocker's.
    func open(with secret: UnlockSecret) throws -> [VaultKey]? {
        guard secret.kind == kind else { return nil }
        let wrapping = try wrappingKey(from: secret)
        var keys: [VaultKey] = []
        for item in wrapped {
            guard let box = Base64.decode(item.box) else {
                throw VaultError.masterDamaged("a wrapped key is not base64")
            }
            guard
                let bytes = try? SealedBox.open(
                    box, key: wrapping,
                    additionalData: additionalData(generation: item.generation)),
                bytes.count == VaultKey.length
            else { return nil }
            keys.append(VaultKey(generation: item.generation, bytes: bytes))
        }
        return keys
    }

    private func wrappingKey(from secret: UnlockSecret) throws -> SecretBytes {
        switch secret {
        case .keyFile(let bytes):
            return HKDF.sha256(
                key: bytes, salt: Array(id.utf8), info: Array("purser unlocker key-file".utf8),
                count: VaultKey.length)
        case .passphrase(let bytes):
            guard let scrypt, let salt = Base64.decode(scrypt.salt) else {
                throw VaultError.masterDamaged("the scrypt parameters are missing")
            }
            do {
                return try Scrypt.derive(
                    password: bytes, salt: salt, parameters: scrypt.price, count: VaultKey.length)
            } catch .parametersRefused {
                throw VaultError.masterDamaged("the scrypt parameters are out of bounds")
            }
        }
    }

    private func additionalData(generation: Int) -> [UInt8] {
        let stretching = scrypt.map { "\($0.n),\($0.r),\($0.p),\($0.salt)" } ?? ""
        return Array(
            "purser vault key|1|\(id)|\(kind.rawValue)|\(createdAt)|\(stretching)|\(generation)"
                .utf8)
    }
}
