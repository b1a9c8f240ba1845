import Clocks
import PKI
import Secrets

extension MasterFile {
    /// A file with a fresh vault key and home key under each of `secrets`.
    static func fresh(unlockedBy secrets: [UnlockSecret], at now: Timestamp) throws -> MasterFile {
        let keys = [VaultKey.fresh(generation: 1)]
        let homeKey = SecretBytes.random(count: VaultKey.length)
        var file = MasterFile(
            generation: 1,
            unlockers: try secrets.map { try Unlocker(secret: $0, homeKey: homeKey, at: now) })
        try file.seal(keys, homeKey: homeKey)
        return file
    }

    /// Seals `keys`, the newest last, to every unlocker, and makes the code anew.
    mutating func seal(_ keys: [VaultKey], homeKey: SecretBytes) throws {
        guard let current = keys.last else {
            throw VaultError.masterDamaged("no vault key is left")
        }
        generation = current.generation
        for index in unlockers.indices {
            let unlocker = unlockers[index]
            unlockers[index].wrapped = try keys.reversed().map { try unlocker.wrap($0) }
        }
        hmac = Hexadecimal.lowercase(
            OpenMaster.code(of: try authenticated(), vaultKey: current, homeKey: homeKey))
    }

    /// Opens the file with a secret; `known` saves stretching the same passphrase again.
    ///
    /// - Throws: ``VaultError/noSuchUnlocker(_:)``, ``VaultError/wrongKeyFile`` and the like,
    ///   ``VaultError/masterDamaged(_:)`` also where anything was changed by somebody who could
    ///   not open the file.
    func open(with secret: UnlockSecret, knowing known: OpenMaster? = nil) throws -> OpenMaster {
        let candidates = unlockers.filter { $0.kind == secret.kind }
        guard !candidates.isEmpty else { throw VaultError.noSuchUnlocker(secret.kind) }
        if let known, let unlocker = candidates.first(where: { $0.id == known.unlocker }),
            try unlocker.isOpened(by: known.privateKey)
        {
            return try open(unlocker, known.privateKey)
        }
        var isDamaged = false
        for unlocker in candidates {
            let privateKey = try unlocker.privateKey(from: secret)
            if try unlocker.isOpened(by: privateKey) { return try open(unlocker, privateKey) }
            if try unlocker.wasOpened(by: privateKey) { isDamaged = true }
        }
        if isDamaged { throw VaultError.masterDamaged("the public key of an unlocker was changed") }
        throw secret.kind.wrong
    }

    private func open(_ unlocker: Unlocker, _ privateKey: SecretBytes) throws -> OpenMaster {
        let keys = try unlocker.wrapped.map { try unlocker.unwrap($0, privateKey) }
        let homeKey = try unlocker.openHomeKey(privateKey)
        guard let current = keys.first(where: { $0.generation == generation }) else {
            throw VaultError.masterDamaged("the vault key in use is missing from an unlocker")
        }
        let code = OpenMaster.code(of: try authenticated(), vaultKey: current, homeKey: homeKey)
        guard let told = Hexadecimal.decode(lowercase: hmac),
            SecretBytes(copying: told)
                == SecretBytes(copying: code)
        else {
            throw VaultError.masterDamaged("it was changed by somebody who cannot open it")
        }
        return OpenMaster(
            keys: keys.filter { $0.generation != generation } + [current], homeKey: homeKey,
            unlocker: unlocker.id, privateKey: privateKey)
    }
}

// MARK: - One unlocker

extension MasterFile.Unlocker {
    /// A new unlocker, to which no vault key is sealed yet.
    init(secret: UnlockSecret, homeKey: SecretBytes, at now: Timestamp) throws {
        self.init(
            id: Hexadecimal.lowercase(SecretBytes.random(count: 8).withUnsafeBytes { Array($0) }),
            kind: secret.kind, createdAt: now, publicKey: "",
            scrypt: secret.kind == .passphrase ? .fresh() : nil, homeKey: "", wrapped: [])
        let privateKey = try privateKey(from: secret)
        publicKey = Base64.encode(try X25519.publicKey(of: privateKey))
        self.homeKey = Base64.encode(
            try SealedBox.seal(
                homeKey, key: homeKeyKey(privateKey), additionalData: additionalData("home key")))
    }

    /// Whether this private key belongs to the public key that stands here.
    func isOpened(by privateKey: SecretBytes) throws -> Bool {
        try Base64.decode(publicKey) == X25519.publicKey(of: privateKey)
    }

    /// Whether only the public key that stands here is wrong: the home key opens with the right one.
    fileprivate func wasOpened(by privateKey: SecretBytes) throws -> Bool {
        var mended = self
        mended.publicKey = Base64.encode(try X25519.publicKey(of: privateKey))
        return (try? mended.openHomeKey(privateKey)) != nil
    }

    /// The X25519 private key of a secret, were it this unlocker's.
    func privateKey(from secret: UnlockSecret) throws -> SecretBytes {
        switch secret {
        case .keyFile(let bytes), .recoveryKey(let bytes):
            return HKDF.sha256(
                key: bytes, salt: Array(id.utf8),
                info: Array("purser unlocker \(kind.rawValue)".utf8), count: X25519.count)
        case .passphrase(let bytes):
            guard let scrypt, let salt = Base64.decode(scrypt.salt) else {
                throw VaultError.masterDamaged("the scrypt parameters are missing")
            }
            do {
                return try Scrypt.derive(
                    password: bytes, salt: salt, parameters: scrypt.price, count: X25519.count)
            } catch .parametersRefused {
                throw VaultError.masterDamaged("the scrypt parameters are out of bounds")
            }
        }
    }

    func wrap(_ key: VaultKey) throws -> MasterFile.WrappedKey {
        guard let receiver = Base64.decode(publicKey) else {
            throw VaultError.masterDamaged("a public key is not base64")
        }
        let box = try AddressedBox.seal(
            key.bytes, to: receiver, purpose: purpose(key.generation),
            additionalData: additionalData("vault key|\(key.generation)"))
        return MasterFile.WrappedKey(generation: key.generation, box: Base64.encode(box))
    }

    func unwrap(_ wrapped: MasterFile.WrappedKey, _ privateKey: SecretBytes) throws -> VaultKey {
        guard let box = Base64.decode(wrapped.box),
            let bytes = try? AddressedBox.open(
                box, privateKey: privateKey, purpose: purpose(wrapped.generation),
                additionalData: additionalData("vault key|\(wrapped.generation)")),
            bytes.count == VaultKey.length
        else { throw VaultError.masterDamaged("a vault key does not open") }
        return VaultKey(generation: wrapped.generation, bytes: bytes)
    }

    func openHomeKey(_ privateKey: SecretBytes) throws -> SecretBytes {
        guard let box = Base64.decode(homeKey),
            let bytes = try? SealedBox.open(
                box, key: homeKeyKey(privateKey), additionalData: additionalData("home key")),
            bytes.count == VaultKey.length
        else { throw VaultError.masterDamaged("the home key does not open") }
        return bytes
    }

    private func homeKeyKey(_ privateKey: SecretBytes) -> SecretBytes {
        HKDF.sha256(
            key: privateKey, salt: Array(id.utf8), info: Array("purser home key".utf8), count: 32)
    }

    private func purpose(_ generation: Int) -> String { "purser vault key|\(id)|\(generation)" }

    private func additionalData(_ what: String) -> [UInt8] {
        let stretching = scrypt.map { "\($0.n),\($0.r),\($0.p),\($0.salt)" } ?? ""
        return Array(
            "purser \(what)|2|\(id)|\(kind.rawValue)|\(createdAt)|\(publicKey)|\(stretching)".utf8)
    }
}
