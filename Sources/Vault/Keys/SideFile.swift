package import Clocks
package import Files
import FoundationEssentials
package import Merchants
import PKI

/// What stands beside each key in plain text, so that a home can be rebuilt without its database.
///
/// The database wins a disagreement; a side file is replaced after each commit that changes it.
package struct SideFile: Sendable, Hashable, Codable {
    package var id: String
    /// Of the public key, as in the file's name: a side file is that of one key.
    package var key: String
    package var merchant: String
    package var realm: String
    package var kind: CredentialKind
    package var state: CredentialState
    package var createdAt: Timestamp
    package var activatedAt: Timestamp?
    package var rolledBackAt: Timestamp?
    /// Base64 of the DER.
    package var csr: String?

    /// The side file that `credential` should have.
    package init(_ credential: Credential) {
        id = credential.id.text
        key = Hexadecimal.lowercase(credential.publicKeyHash)
        merchant = credential.merchant.text
        realm = credential.realm.text
        kind = credential.kind
        state = credential.state
        createdAt = credential.createdAt
        activatedAt = credential.activatedAt
        rolledBackAt = credential.rolledBackAt
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
}

extension HomeLayout {
    /// What the side file in `slot` says, its code unchecked: needs no key, and proves nothing.
    ///
    /// - Throws: ``VaultError/sideFileDamaged(_:)`` for what is no side file, ``FileError``.
    package func uncheckedSide(in slot: KeySlot) throws -> SideFile? {
        guard let bytes = try InputFile.readIfPresent(side(slot), limit: 1 << 16) else {
            return nil
        }
        struct Whole: Decodable {
            var version: Int
            var record: SideFile
        }
        guard let whole = try? JSONDecoder().decode(Whole.self, from: Data(bytes)),
            whole.version == 1
        else { throw VaultError.sideFileDamaged(slot.shown) }
        return whole.record
    }
}

extension HomeLayout {
    /// The newest vault key that a side file says it is under, unchecked; nil without any.
    ///
    /// Needs no key, and proves nothing: it is there to notice a `master.json` from before.
    ///
    /// - Throws: ``FileError`` for a folder that cannot be read.
    package func newestSideGeneration() throws(FileError) -> Int? {
        struct Whole: Decodable { var generation: Int }
        var newest: Int?
        for case .side(let slot) in try storedFiles() {
            // One that cannot be read, or is none of ours, tells nothing.
            guard let bytes = try? InputFile.readIfPresent(side(slot), limit: 1 << 16),
                let whole = try? JSONDecoder().decode(Whole.self, from: Data(bytes))
            else { continue }
            newest = max(newest ?? 0, whole.generation)
        }
        return newest
    }
}

extension Vault {
    /// Writes the side file of a key, under a code of the vault's.
    ///
    /// Only inside ``holding(_:within:_:)``.
    ///
    /// - Throws: ``FileError``, ``PKIError``.
    package func write(_ side: SideFile, in slot: KeySlot) throws {
        try DurableFile.write(
            currentKey().sideFile(side), to: layout.side(slot), replacing: true)
    }

    /// Reads a side file and checks its code; nil when there is none.
    ///
    /// Follows a rotation of the vault keys, also one that is under way.
    ///
    /// - Throws: ``VaultError/sideFileDamaged(_:)``, ``FileError``, as ``follow()``.
    package func side(in slot: KeySlot) throws -> SideFile? {
        var isThere = true
        let side = try following { keys -> SideFile? in
            guard let bytes = try sideBytes(in: slot) else {
                isThere = false
                return nil
            }
            isThere = true
            return keys.lazy.compactMap { $0.open(sideFile: bytes) }.first
        }
        // One that stands beside another key, put there by whoever may write the home, says nothing.
        let isOurs = side.map { side in
            side.key == slot.fingerprint && side.merchant == slot.merchant.text
                && side.kind == slot.kind
        }
        guard isOurs ?? !isThere else { throw VaultError.sideFileDamaged(slot.shown) }
        return side
    }

    /// What the side file of `expected` is worth.
    ///
    /// - Throws: ``FileError``, as ``follow()``.
    package func condition(of expected: SideFile, in slot: KeySlot) throws -> SideFileCondition {
        do {
            guard let found = try side(in: slot) else { return .missing }
            return found == expected ? .fits : .differs
        } catch VaultError.sideFileDamaged {
            return .damaged
        }
    }

    /// The bytes of a side file; nil when there is none.
    func sideBytes(in slot: KeySlot) throws(FileError) -> [UInt8]? {
        try InputFile.readIfPresent(layout.side(slot), limit: 1 << 16)
    }
}

extension VaultKey {
    /// The bytes of a side file under this key.
    func sideFile(_ side: SideFile) throws -> [UInt8] {
        try sealed(side, for: .sideFile)
    }

    /// What a side file says; nil where it is none, or not under this key.
    func open(sideFile bytes: [UInt8]) -> SideFile? {
        unsealed(SideFile.self, bytes, for: .sideFile)
    }
}
