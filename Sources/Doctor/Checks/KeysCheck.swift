import Database
import Issuance
import Merchants
import PKI
import Registry
import Vault

/// Every key's file opens, holds the key that its record says, and a certificate for that key.
enum KeysCheck {
    static let check = Check("keys", needs: [.records, .keys]) { patient in
        guard case .open(let home) = patient.records, case .open(let vault) = patient.keys else {
            return []
        }
        let records = try await home.database.read { transaction in
            try Credentials.list(in: transaction).filter {
                $0.custody == .local && $0.state != .destroyed
            }.map { credential in
                (
                    credential,
                    try Credentials.certificates(of: credential.id, in: transaction)
                        .map(\.fingerprint)
                )
            }
        }
        // A key takes a millisecond or two of a core, and there may be thousands.
        return await onOwnThread {
            var findings = Findings("keys")
            // One that is missing is told where files and records are compared.
            for (credential, certificates) in records
            where vault.holdsKey(in: KeySlot(credential)) {
                findings.judge(credential, certificates, vault)
            }
            return findings.all
        }
    }
}

extension Findings {
    fileprivate mutating func judge(
        _ credential: Credential, _ certificates: [String], _ vault: Vault
    ) {
        let slot = KeySlot(credential)
        let path = vault.layout.bundle(slot)
        let kept: KeptKey
        do { kept = try vault.key(in: slot) } catch { return add(.critical, path, error) }
        if kept.key.publicKey.algorithm.description != credential.keyAlgorithm {
            add(
                .critical, path,
                "the key is \(kept.key.publicKey.algorithm), and its record says "
                    + credential.keyAlgorithm,
                remedy: "somebody has changed the record: compare it with a backup")
        }
        let inUse = credential.certificate
        guard let held = kept.certificate else {
            if inUse != nil {
                add(
                    .warning, path, "the file lacks the certificate that is on record",
                    remedy: "import it again: purser certificate import \(slot.merchant) FILE")
            }
            return
        }
        guard held.publicKey == kept.key.publicKey else {
            return add(
                .critical, path, "the certificate in the file was not made for its key",
                remedy: "import the right one: purser certificate import \(slot.merchant) FILE")
        }
        guard certificates.contains(held.sha256) else {
            // The file is written first: whoever died then has recorded nothing.
            return add(
                .ok, path, "the certificate in the file is not on record: an import of it died",
                remedy: "import it again: purser certificate import \(slot.merchant) FILE")
        }
        if let inUse, held.sha256 != inUse.fingerprint, held.notAfter < inUse.notAfter {
            add(
                .warning, path, "the file holds an older certificate than the one on record",
                remedy: "import it again: purser certificate import \(slot.merchant) FILE")
        }
    }
}
