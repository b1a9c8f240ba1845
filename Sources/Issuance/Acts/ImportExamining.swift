import Clocks
import Database
import Merchants
import PKI
import Registry

/// What is checked before anything is stored.
extension OpenHome {
    func examine(
        _ material: ImportMaterial, for merchant: Merchant, wanted: CredentialKind?
    ) async throws -> ImportFinding {
        // Where a field that decides stands twice, nobody can say which one Apple meant.
        let certificate = material.certificate
        guard !certificate.hasMalformedExtensions,
            Set(certificate.extensions.map(\.oid)).count == certificate.extensions.count,
            certificate.subject.all(OID.userID).count <= 1
        else { throw IssuanceError.certificateDamaged }
        let trust = try await trust(of: merchant.realm)
        var facts = CertificateFacts(
            material.certificate, others: material.others, trust: trust)
        // No chain holds with a key that is too short or spelled out, and the key is the reason.
        if facts.key == nil { facts.chain = .issuerUnknown }
        let examination = CertificateExamination(
            merchant: merchant.identifier,
            merchantHash: Hexadecimal.uppercase(
                SHA256.hash(Array(merchant.identifier.text.utf8))), now: clock.now)
        let kind = try examination.kind(of: facts)
        try certificate.checkSignatureAlgorithm()
        if let wanted, wanted != kind { throw CertificateFault.otherKind(kind, expected: wanted) }
        var isExpired = false
        do throws(CertificateFault) {
            try examination.checkValidity(of: facts)
        } catch {
            // An expired processing pair still opens old tokens; every other is of no use.
            guard case .expired = error, kind.isProcessing, material.key != nil else { throw error }
            isExpired = true
        }
        if let key = material.key {
            try material.certificate.loadIntoTLS(chain: material.others, key: key)
        }
        return ImportFinding(
            kind: kind,
            record: CertificateRecord(
                material.certificate, issuerVerified: facts.chain == .verified),
            isExpired: isExpired, chain: facts.chain)
    }

    func warnings(for finding: ImportFinding, _ merchant: Merchant) -> [ImportWarning] {
        var warnings: [ImportWarning] = []
        if finding.chain == .issuerUnknown {
            warnings.append(
                ImportWarning(
                    "its issuer is not among the roots of realm \(merchant.realm), so it is unproven",
                    hint: merchant.realm == .apple
                        ? "get Apple's roots with: purser trust fetch; who issued it: purser inspect FILE"
                        : "give its root: purser environment add NAME --realm \(merchant.realm) "
                            + "--gateway URL --apple-root FILE"))
        }
        if let team = merchant.team, let found = finding.record.teamIdentifier, team != found {
            warnings.append(
                ImportWarning(
                    "its team is \(found), and the merchant's is \(team)",
                    hint:
                        "if that is right: purser merchant set \(merchant.identifier) --team \(found)"
                ))
        }
        return warnings
    }

    /// One key for two merchants, or for two kinds: whoever gets hold of it has both, and neither
    /// can be revoked or destroyed without the other in mind.
    func warnings(about sharing: [Credential], _ merchant: Merchant) -> [ImportWarning] {
        let others = sharing.filter { $0.merchant != merchant.identifier }
        var warnings: [ImportWarning] = []
        if let first = others.first {
            let merchants = Set(others.map(\.merchant)).count
            warnings.append(
                ImportWarning(
                    "its key is also that of \(first.merchant) (credential \(first.id))"
                        + (merchants > 1 ? " and of \(merchants - 1) more" : "")
                        + ": make each merchant a key of its own"))
        }
        if let same = sharing.first(where: { $0.merchant == merchant.identifier }) {
            warnings.append(
                ImportWarning(
                    "its key is also that of credential \(same.id), for \(same.kind.rawValue):"
                        + " make each kind a key of its own"))
        }
        return warnings
    }
}
