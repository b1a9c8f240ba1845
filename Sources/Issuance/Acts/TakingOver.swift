import Clocks
import Database
import Ledger
import Merchants
import PKI
import Registry
import Vault

/// A key that comes into this home after a provider has held it.
///
/// As everywhere, its file is durable first. A crash before the record leaves a key whose record
/// says `provider`, and the next command on the merchant finishes what was begun.
extension OpenHome {
    /// Records that a provider's key is here now; false where it was so already.
    ///
    /// - Throws: ``RegistryError``, ``DatabaseError``.
    func takeOver(
        _ id: CredentialIdentifier, in transaction: borrowing Transaction
    ) throws -> Bool {
        let credential = try Credentials.find(id, in: transaction)
        guard credential.custody == .provider else { return false }
        let others = try Credentials.list(
            merchant: credential.merchant, kind: credential.kind, in: transaction)
        let moves = planTakeover(of: credential, among: others)
        try Credentials.apply(moves, at: clock.now, in: transaction)
        try Credentials.takeOver(id, in: transaction)
        try Credentials.setSideFileDue(true, of: id, in: transaction)
        var detail = [
            "credential": id.text, "kind": credential.kind.rawValue,
            "key": Hexadecimal.lowercase(credential.publicKeyHash),
            "state": (moves.last?.to ?? credential.state).rawValue,
        ]
        detail["provider"] = credential.provider
        try Ledger.append(
            entry(.certificateTakenOver, credential.merchant.text, detail), in: transaction)
        return true
    }

    /// Takes in the key of `known` alone, with the certificate that is recorded for it.
    func takeOver(
        _ known: Credential, key: PrivateKey, in slot: KeySlot, vault: Vault
    ) async throws {
        let certificate = try known.certificate.map { try Certificate(der: $0.der) }
        try certificate?.loadIntoTLS(chain: [], key: key)
        if !vault.holdsKey(in: slot) {
            try vault.keep(key, certificate: certificate, chain: [], in: slot, replacing: false)
        }
        _ = try await database.write { try takeOver(known.id, in: $0) }
    }

    /// What a person should know of a credential whose key `provider` has held until now.
    static func warnings(aboutTakeover credential: Credential, before: Credential)
        -> [ImportWarning]
    {
        var warnings = [
            ImportWarning("its key was held by \(before.provider ?? "a provider"), and is here now")
        ]
        guard credential.kind == .merchantIdentity, before.state == .active else { return warnings }
        warnings.append(
            credential.state == .active
                ? ImportWarning("it is active, so sessions are asked for with it from now on")
                : ImportWarning(
                    "another identity is in use here, so this one waits",
                    hint: "to use it instead: purser certificate activate \(credential.id)"))
        return warnings
    }
}
