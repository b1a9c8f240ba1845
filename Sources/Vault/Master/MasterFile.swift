import Clocks
import Files
import FoundationEssentials
import PKI
import Secrets

/// The contents of `master.json`: the vault keys, each sealed to every unlocker.
///
/// Each unlocker is an X25519 key pair made from its secret. Who opens the file with one can
/// therefore seal a new vault key to all, without their secrets. The code over everything makes
/// sure that only such a one has: see ``OpenMaster/homeKey``.
struct MasterFile: Codable {
    /// The version of this format.
    var version = MasterFile.currentVersion
    /// The generation that new files are written under.
    var generation: Int
    var unlockers: [Unlocker]
    /// Lower-case hex of HMAC-SHA256 over the rest: as JSON with sorted keys and no blanks, where
    /// this is empty.
    var hmac = ""

    struct Unlocker: Codable {
        /// 16 lower-case hex digits drawn at random; also the salt of a key file's derivation.
        var id: String
        var kind: UnlockerKind
        var createdAt: Timestamp
        /// Base64 of the 32 bytes (RFC 7748).
        var publicKey: String
        /// For a passphrase alone.
        var scrypt: ScryptParameters?
        /// Base64 of a ``SealedBox`` with the home key, made once, when the secret was at hand.
        var homeKey: String
        /// The vault key in use first.
        var wrapped: [WrappedKey]
    }

    struct WrappedKey: Codable {
        var generation: Int
        /// Base64 of an ``AddressedBox``.
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

    static let currentVersion = 2
    /// More than any real file needs.
    static let sizeLimit = 1 << 20
    /// More unlockers than any home has a use for.
    static let unlockerLimit = 32
    /// The vault key in use, and the one before while a rotation is under way.
    static let wrappedLimit = 2
    /// What all passphrases together may cost, because opening tries one after the other: that of
    /// 16 new ones, some six seconds.
    static let workLimit = 16 * (Scrypt.Parameters.standard.work ?? 0)

    init(generation: Int, unlockers: [Unlocker]) {
        self.generation = generation
        self.unlockers = unlockers
    }
}

// MARK: - Reading and writing

extension MasterFile {
    /// Reads the home's file, which nothing is proved of until it is opened.
    ///
    /// - Throws: ``VaultError/masterMissing(_:)``, as ``init(decoding:)``, ``FileError``.
    static func read(_ layout: HomeLayout) throws -> MasterFile {
        guard let file = try readIfPresent(layout) else {
            throw VaultError.masterMissing(layout.path)
        }
        return file
    }

    /// The same; nil when there is none.
    static func readIfPresent(_ layout: HomeLayout) throws -> MasterFile? {
        try InputFile.readIfPresent(layout.master, limit: sizeLimit)
            .map { try MasterFile(decoding: $0) }
    }

    /// Reads a file's bytes.
    ///
    /// - Throws: ``VaultError/masterDamaged(_:)``, ``VaultError/masterNewer(_:)``,
    ///   ``VaultError/masterOlder(_:)``, ``VaultError/masterTooCostly(_:)``.
    init(decoding bytes: [UInt8]) throws(VaultError) {
        struct Version: Decodable { var version: Int }
        let data = Data(bytes)
        guard let version = try? JSONDecoder().decode(Version.self, from: data).version else {
            throw .masterDamaged("it is not JSON with a version")
        }
        guard version == Self.currentVersion else {
            throw version < Self.currentVersion ? .masterOlder(version) : .masterNewer(version)
        }
        guard let file = try? JSONDecoder().decode(MasterFile.self, from: data) else {
            throw .masterDamaged("a field is missing or of the wrong type")
        }
        guard !file.unlockers.isEmpty else { throw .masterDamaged("it has no unlocker") }
        try file.checkPrice()
        self = file
    }

    /// Refuses a file that would take longer to try than anybody waits, before anything is tried.
    func checkPrice() throws(VaultError) {
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

    /// The file's bytes.
    func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try Array(encoder.encode(self)) + [UInt8(ascii: "\n")]
    }

    /// What the code is made of.
    func authenticated() throws -> [UInt8] {
        var file = self
        file.hmac = ""
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try Array(encoder.encode(file))
    }
}
