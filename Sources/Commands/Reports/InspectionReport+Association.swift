import Documents
import Issuance
import Merchants
import Registry

extension InspectionReport {
    /// An association file of Apple's, or what was meant to be one.
    ///
    /// `isVerified`: whether a root of the home vouches for it, nil where nothing says; `owners` are the
    /// merchants for whose domain it is, as far as the home knows.
    init(
        _ file: Result<AssociationFile, AssociationFault>, isVerified: Bool?,
        owners: [MerchantIdentifier], warnings: [String]
    ) {
        (certificates, keys, requests, publicKeys) = ([], [], [], [])
        (protections, refusedBy) = ([], [])
        self.warnings = warnings
        switch file {
        case .success(let file):
            description = "an association file of Apple's for a domain (\(file.facts.form) form)"
            problems = []
            let domain = file.facts.domain ?? "DOMAIN"
            let merchants = owners.isEmpty ? ["MERCHANT"] : owners.map(\.text)
            next = merchants.map { "purser domain add \($0) \(domain) --association-file FILE" }
            associationFile = AssociationDocument(
                file.facts, bytes: file.bytes, verified: isVerified)
        case .failure(let fault):
            description = "meant to be an association file of Apple's"
            next = []
            problems = [
                ProblemEntry(
                    place: "the file", code: fault.code, summary: fault.summary,
                    remedy: fault.remedy)
            ]
            associationFile = nil
        }
    }
}
