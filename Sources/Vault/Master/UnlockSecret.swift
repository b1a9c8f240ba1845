import Files
package import Secrets

/// The sorts of unlocker.
package enum UnlockerKind: String, Sendable, Hashable, Codable {
    /// A file of exactly 32 random bytes, outside the home.
    case keyFile = "key-file"
    /// A passphrase, stretched by scrypt.
    case passphrase
    /// 256 bits that were printed once: see ``RecoveryKey``.
    case recoveryKey = "recovery-key"

    /// That a secret of this sort opens nothing here.
    var wrong: VaultError {
        switch self {
        case .keyFile: .wrongKeyFile
        case .passphrase: .wrongPassphrase
        case .recoveryKey: .wrongRecoveryKey
        }
    }
}

/// What somebody offers to open a home with.
package enum UnlockSecret: Sendable {
    case keyFile(SecretBytes)
    case passphrase(SecretBytes)
    /// Its 32 bytes.
    case recoveryKey(SecretBytes)

    package var kind: UnlockerKind {
        switch self {
        case .keyFile: .keyFile
        case .passphrase: .passphrase
        case .recoveryKey: .recoveryKey
        }
    }

    /// The length of a key file in bytes.
    package static let keyFileLength = 32

    /// Reads a key file: 32 raw bytes, closed to others unless it is a systemd credential.
    ///
    /// Its owner is the effective user, root, or `alsoOwnedBy`: the home's owner when root asks.
    ///
    /// - Throws: ``VaultError/badKeyFile(length:)``, ``FileError``.
    package static func readKeyFile(
        _ path: String, exempt: Bool = false, alsoOwnedBy other: UInt32? = nil
    ) throws -> UnlockSecret {
        let bytes = try InputFile.readSecret(
            path, limit: 4_096, exempt: exempt, alsoOwnedBy: other, pipe: .forPeople)
        guard bytes.count == keyFileLength else {
            throw VaultError.badKeyFile(length: bytes.count)
        }
        return .keyFile(bytes)
    }

    /// Refuses what would be a bad secret for a home that it does not open yet.
    ///
    /// - Throws: ``VaultError/uniformKeyFile``.
    package func checkNew() throws(VaultError) {
        guard case .keyFile(let bytes) = self else { return }
        if bytes.withUnsafeBytes({ Set($0).count == 1 }) { throw .uniformKeyFile }
    }

    /// Reads a passphrase from a file; one line end at its end is not part of it.
    ///
    /// - Throws: ``VaultError/emptyPassphrase``, ``FileError``.
    package static func readPassphraseFile(
        _ path: String, exempt: Bool = false, alsoOwnedBy other: UInt32? = nil
    ) throws -> UnlockSecret {
        let contents = try InputFile.readSecret(
            path, limit: 4_096, exempt: exempt, alsoOwnedBy: other, pipe: .forPeople)
        return try passphrase(checking: strippingLineEnd(contents))
    }

    /// Reads a recovery key from a file, as it was printed or typed.
    ///
    /// - Throws: ``VaultError/recoveryKeyMistyped(_:)``, ``FileError``.
    package static func readRecoveryKeyFile(
        _ path: String, exempt: Bool = false, alsoOwnedBy other: UInt32? = nil
    ) throws -> UnlockSecret {
        try RecoveryKey(
            reading: InputFile.readSecret(
                path, limit: 4_096, exempt: exempt, alsoOwnedBy: other, pipe: .forPeople)
        ).secret
    }

    /// Takes a passphrase that was typed.
    ///
    /// - Throws: ``VaultError/emptyPassphrase``.
    package static func passphrase(checking bytes: SecretBytes) throws(VaultError) -> UnlockSecret {
        guard bytes.count > 0 else { throw .emptyPassphrase }
        return .passphrase(bytes)
    }
}

/// The same secret without one `\n` or `\r\n` at its end, as password files have.
package func strippingLineEnd(_ secret: SecretBytes) -> SecretBytes {
    let drop = secret.withUnsafeBytes { bytes in
        guard bytes.last == UInt8(ascii: "\n") else { return 0 }
        return bytes.count > 1 && bytes[bytes.count - 2] == UInt8(ascii: "\r") ? 2 : 1
    }
    return drop == 0 ? secret : secret.slice(0..<secret.count - drop)
}
