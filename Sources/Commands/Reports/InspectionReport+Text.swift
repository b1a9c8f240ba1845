import Clocks
import Documents

extension InspectionReport {
    func text(width: Int) -> String {
        var parts = [FieldList([("this is", description)]).rendered]
        if let associationFile { parts.append(associationFile.text) }
        parts += certificates.map(\.text)
        parts += keys.map { $0.text("private key") }
        parts += requests.map { $0.text("request") }
        parts += publicKeys.map { $0.text("public key") }
        let protection = protections.map { entry in
            (
                "protection" as String,
                entry.description
                    + (entry.iterations > 1 ? ", \(entry.iterations) iterations" : "") as String?
            )
        }
        let refusals = refusedBy.map {
            ("refused by", "\($0.software): \($0.reasons.joined(separator: "; "))" as String?)
        }
        let rest =
            protection + refusals
            + problems.map { ("wrong", "\($0.summary) (\($0.place))" as String?) }
            + warnings.map { ("beware", $0 as String?) } + next.map { ("next", $0 as String?) }
        if !rest.isEmpty { parts.append(FieldList(rest).rendered) }
        return parts.joined(separator: "\n")
    }
}

extension InspectionReport.CertificateEntry {
    fileprivate var text: String {
        FieldList([
            ("certificate", place), ("name", name), ("kind", kind), ("merchant", merchant),
            (
                "merchant hash",
                merchantHashFits.map { $0 ? "fits the merchant" : "is another merchant's" }
            ),
            ("subject", subject), ("issuer", issuer),
            ("issuer's", issuerFingerprint.map { "in this file: \($0)" }), ("key", keyAlgorithm),
            ("public key hash", publicKeyHash), ("serial number", serialNumber),
            ("valid from", notBefore.description), ("valid until", notAfter.description),
            ("fingerprint", fingerprint), ("private key", hasKey ? "in this file" : nil),
            ("held as", credentials.isEmpty ? nil : credentials.joined(separator: ", ")),
            ("held by", provider),
            ("wrong", isCA ? nil : fault?.summary),
            ("authority", isCA ? "yes: it issues others" : nil),
        ]).rendered
    }
}

extension InspectionReport.KeyEntry {
    fileprivate func text(_ sort: String) -> String {
        FieldList([
            (sort, place), ("name", name), ("subject", subject), ("key", keyAlgorithm),
            ("public key hash", publicKeyHash), ("encrypted", protection),
            ("signature", signatureFits.map { $0 ? "by its own key" : "not by its own key" }),
            ("certificate", certificates.isEmpty ? nil : certificates.joined(separator: ", ")),
            ("held as", credentials.isEmpty ? nil : credentials.joined(separator: ", ")),
            ("held by", provider),
        ]).rendered
    }
}

extension AssociationDocument {
    fileprivate var text: String {
        FieldList([
            ("domain", domain), ("team", team), ("provider", provider),
            ("version", String(version)), ("made", createdAt?.description), ("SHA-256", sha256),
            ("signed by Apple", verified.map { $0 ? "yes" : "no" }),
        ]).rendered
    }
}
