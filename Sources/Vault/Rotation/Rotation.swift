package import Files
import PKI

/// A rotation of the vault key that has begun.
package struct Rotation: Sendable, Hashable {
    /// The generation of the new vault key, which is in use from the beginning.
    package let generation: Int
    /// Whether it was begun by an earlier command, which did not finish it.
    package let isResumed: Bool
}

/// What has become of one file in a rotation.
package enum Renewal: Sendable, Equatable {
    /// It is under the vault key in use.
    case done
    /// It opens under no vault key in its place.
    case unreadable
    /// It is under the vault key in use, and holds another key than its name says.
    case misplaced
    /// It cannot be read, which says nothing of the vault key that it is under.
    case refused(FileError)
    /// It is not there.
    case missing

    package var isDone: Bool { self == .done }
}

/// The steps of a rotation; only inside ``holding(_:within:_:)``, exclusively.
///
/// While it lasts, `master.json` holds two vault keys, and each file opens under one of them. That is
/// why it may stop at any moment: everybody reads and writes on, and it is resumed, never begun a
/// second time.
extension Vault {
    /// Whether files may be left under an old vault key.
    package var isRotationUnfinished: Bool { keys.count > 1 }

    /// The generation of the vault key in use.
    package var generation: Int {
        get throws { try currentKey().generation }
    }

    /// Puts a new vault key into use beside the old one, sealed to every unlocker; where there are
    /// two already, the rotation goes on with them.
    ///
    /// - Throws: as ``follow()``, ``FileError``.
    package func beginRotation() throws -> Rotation {
        var (file, master) = try openFile()
        let current = try currentKey()
        if master.keys.count > 1 {
            return Rotation(generation: current.generation, isResumed: true)
        }
        let next = VaultKey.fresh(generation: current.generation + 1)
        try file.seal(master.keys + [next], homeKey: master.homeKey)
        try put(file)
        return Rotation(generation: next.generation, isResumed: false)
    }

    /// Forgets the old vault key, which nothing is left under.
    ///
    /// - Throws: as ``follow()``, ``FileError``.
    package func endRotation() throws {
        var (file, master) = try openFile()
        try file.seal([currentKey()], homeKey: master.homeKey)
        try put(file)
    }

    /// Brings one file under the vault key in use; one that cannot be is left as it is.
    ///
    /// - Throws: ``FileError`` for what cannot be written; ``VaultError/keyUnreadable(_:)`` where the
    ///   new file is not on the disk what was written; ``PKIError``.
    package func renew(_ file: StoredFile) throws -> Renewal {
        switch file {
        case .bundle(let slot): try renewBundle(slot)
        case .side(let slot): try renewSide(slot)
        case .stranger: .unreadable
        }
    }

    private func renewBundle(_ slot: KeySlot) throws -> Renewal {
        let bundle: [UInt8]
        switch readable({ () throws(FileError) in try self.bundle(in: slot) }) {
        case .success(let found?): bundle = found
        case .success(nil): return .missing
        case .failure(let error): return .refused(error)
        }
        let current = try currentKey()
        // The old key first: under the new one is only what an interrupted rotation has left.
        for vaultKey in keys {
            guard let kept = vaultKey.open(bundle, in: slot) else { continue }
            let isOwn = kept.key.publicKey.sha256 == slot.publicKeyHash
            if vaultKey.generation == current.generation { return isOwn ? .done : .misplaced }
            // Also one that is not what its name says: with the old key gone it would be lost.
            try DurableFile.write(
                current.bundle(kept, for: slot), to: layout.bundle(slot), replacing: true)
            guard let written = try self.bundle(in: slot),
                let again = current.open(written, in: slot),
                again.key.publicKey == kept.key.publicKey, again.certificate == kept.certificate,
                again.chain == kept.chain
            else { throw VaultError.keyUnreadable(slot.shown) }
            return isOwn ? .done : .misplaced
        }
        return .unreadable
    }

    private func renewSide(_ slot: KeySlot) throws -> Renewal {
        let bytes: [UInt8]
        switch readable({ () throws(FileError) in try sideBytes(in: slot) }) {
        case .success(let found?): bytes = found
        case .success(nil): return .missing
        case .failure(let error): return .refused(error)
        }
        let current = try currentKey()
        for vaultKey in keys {
            guard let side = vaultKey.open(sideFile: bytes) else { continue }
            if vaultKey.generation != current.generation { try write(side, in: slot) }
            return .done
        }
        return .unreadable
    }

    /// What cannot be read keeps no other file from being renewed.
    private func readable(
        _ read: () throws(FileError) -> [UInt8]?
    ) -> Result<[UInt8]?, FileError> {
        Result(catching: read)
    }
}
