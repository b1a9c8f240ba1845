import Clocks
import Database
import Files
import Ledger
package import Merchants
import PKI
import Registry
package import Vault

/// What a crash left half done is finished here, before the next act on the same merchant.
///
/// See the table in Keystore/README.md.
extension OpenHome {
    /// Settles every merchant that has keys; for a service's start.
    ///
    /// `damaged` is told why a merchant cannot be settled whose records cannot be read; the others
    /// are. A merchant's own record is not read for it, and is not told of.
    ///
    /// - Throws: as ``settle(_:vault:)``.
    package func settleAll(
        vault: Vault, damaged: @Sendable (any Error) -> Void
    ) async throws {
        let known = try await database.read {
            try MerchantRecords.list(in: $0) { _, _ in }.map(\.identifier)
        }
        for merchant in Set(known).union(try layout.merchantsWithKeys()).sorted() {
            do {
                try await adoptStrayKeys(of: merchant, vault: vault)
                // A rotation may take minutes, for which a service's start does not wait.
                _ = try await vault.holdingIfFree(.shared) {
                    try await writeSideFiles(of: merchant, vault: vault)
                }
            } catch let error as RegistryError {
                guard case .damaged = error else { throw error }
                damaged(error)
            } catch DatabaseError.wrongColumn(let name, let what) {
                damaged(DatabaseError.wrongColumn(name: name, what: what))
            }
        }
    }

    /// Removes unfinished files, records keys that have no record, and writes side files that are
    /// due.
    ///
    /// A key without a record was made by a command that died before it told anybody the CSR. It
    /// becomes `abandoned`, so that no key is ever unexplained; one whose record says that a provider
    /// holds it is taken over, as the command that kept it would have done. Skipped while another process has a
    /// key on its way: the next act comes round again.
    ///
    /// - Throws: ``VaultError``, ``FileError``, ``DatabaseError``.
    package func settle(_ merchant: MerchantIdentifier, vault: Vault) async throws {
        try await adoptStrayKeys(of: merchant, vault: vault)
        try await markWrongSideFiles(of: merchant, vault: vault)
        try await writeSideFiles(of: merchant, vault: vault)
    }

    /// Marks the side files that somebody has removed or changed: the database wins.
    private func markWrongSideFiles(of merchant: MerchantIdentifier, vault: Vault) async throws {
        let credentials = try await database.read {
            try Credentials.list(merchant: merchant, in: $0)
        }
        var wrong: [CredentialIdentifier] = []
        for credential in credentials where credential.custody == .local {
            let slot = KeySlot(
                merchant: merchant, kind: credential.kind,
                publicKeyHash: credential.publicKeyHash)
            // What cannot be read at all is a person's matter: purser doctor tells of it.
            switch try? vault.condition(of: SideFile(credential), in: slot) {
            case .fits, nil: break
            case .missing, .differs, .damaged: wrong.append(credential.id)
            }
        }
        guard !wrong.isEmpty else { return }
        let marked = wrong
        try await database.write { transaction in
            for id in marked { try Credentials.setSideFileDue(true, of: id, in: transaction) }
        }
    }

    /// Whose credential it is, for acts that are given the credential alone.
    ///
    /// - Throws: ``RegistryError/certificateUnknown(_:)``, ``DatabaseError``.
    func merchant(of id: CredentialIdentifier) async throws -> MerchantIdentifier {
        try await database.read { try Credentials.find(id, in: $0).merchant }
    }

    /// Key files of a merchant that no record of ours names, and that no command at work is about to record;
    /// needs no key.
    ///
    /// - Throws: ``FileError``, ``DatabaseError``.
    package func lostKeys(of merchant: MerchantIdentifier) async throws -> [KeySlot] {
        let strays = try await strayKeys(of: merchant)
        guard !strays.isEmpty else { return [] }
        let lock: FileLock?
        do throws(FileError) {
            lock = try FileLock.tryTake(layout.keysLock, .exclusive)
        } catch {
            // On a read-only disk no command is at work.
            return strays
        }
        guard let lock else { return [] }
        defer { withExtendedLifetime(lock) {} }
        return try await strayKeys(of: merchant)
    }

    /// Key files of a merchant that no record names at this moment, be one on its way; needs no key.
    ///
    /// - Throws: ``FileError``, ``DatabaseError``.
    package func strayKeys(of merchant: MerchantIdentifier) async throws -> [KeySlot] {
        let slots = try layout.slots(of: merchant)
        guard !slots.isEmpty else { return [] }
        let known = try await database.read { transaction in
            try Set(
                Credentials.list(merchant: merchant, in: transaction).filter {
                    $0.custody == .local
                }.map {
                    KeySlot(merchant: $0.merchant, kind: $0.kind, publicKeyHash: $0.publicKeyHash)
                })
        }
        return slots.filter { !known.contains($0) }
    }

    /// Writes the side files of a merchant that its last acts have made due.
    ///
    /// Each is written under the database's write lock, so that of two commands neither puts an
    /// older state over a newer one. Whoever dies meanwhile leaves the mark where it was. The key
    /// of a destroyed credential is wiped first: a side file that says so is proof of it.
    ///
    /// - Throws: ``FileError``, ``DatabaseError``.
    func writeSideFiles(of merchant: MerchantIdentifier, vault: Vault) async throws {
        let due = try await database.read {
            try Credentials.withSideFileDue(of: merchant, in: $0)
        }
        guard !due.isEmpty else { return }
        // Nobody may take a file that is on its way for one that was left unfinished.
        try await vault.holding(.shared) {
            try await writeSideFiles(due.map(\.id), vault: vault)
        }
    }

    private func writeSideFiles(_ due: [CredentialIdentifier], vault: Vault) async throws {
        for id in due {
            try await database.write { transaction in
                let credential = try Credentials.find(id, in: transaction)
                if credential.custody == .local {
                    let slot = KeySlot(credential)
                    if credential.state == .destroyed { try vault.destroyKey(in: slot) }
                    try vault.write(SideFile(credential), in: slot)
                }
                try Credentials.setSideFileDue(false, of: id, in: transaction)
            }
        }
    }

    private func adoptStrayKeys(of merchant: MerchantIdentifier, vault: Vault) async throws {
        _ = try await vault.holdingIfFree(.exclusive) {
            try await adoptStrayKeysAlone(of: merchant, vault: vault)
        }
    }

    private func adoptStrayKeysAlone(of merchant: MerchantIdentifier, vault: Vault) async throws {
        try layout.removeUnfinished(of: merchant)
        // A restore that died at its very end: the database is in place, so all else is, too.
        try Folder.removeTree(layout.restored.path)
        let strays = try await strayKeys(of: merchant)
        guard !strays.isEmpty else { return }
        guard
            let record = try await database.read({ transaction in
                try MerchantRecords.exists(merchant, in: transaction)
                    ? MerchantRecords.find(merchant, in: transaction) : nil
            })
        else { return }
        for slot in strays {
            // A file that does not open is left for a person: it is not ours to explain.
            guard let kept = try? vault.key(in: slot) else { continue }
            let credential = Credential(
                id: .random(), merchant: merchant, realm: record.realm, kind: slot.kind,
                state: .abandoned, custody: .local, provider: nil,
                publicKeyHash: slot.publicKeyHash,
                keyAlgorithm: kept.key.publicKey.algorithm.description, csr: nil,
                certificate: nil, createdAt: clock.now, activatedAt: nil)
            let entry = entry(
                .certificateAbandoned, merchant.text,
                [
                    "credential": credential.id.text, "kind": slot.kind.rawValue,
                    "key": slot.fingerprint,
                    "reason": "found without a record; the command that made it did not finish",
                ])
            try await database.write { transaction in
                if let known = try Credentials.find(
                    publicKeyHash: slot.publicKeyHash, merchant: merchant, kind: slot.kind,
                    in: transaction)
                {
                    _ = try takeOver(known.id, in: transaction)
                    return
                }
                try Credentials.insert(credential, evenIfRetired: true, in: transaction)
                try Credentials.setSideFileDue(true, of: credential.id, in: transaction)
                try Ledger.append(entry, in: transaction)
            }
        }
    }
}
