import Issuance
import Merchants
import PKI

/// What to do with a file that was inspected.
struct NextSteps {
    let lines: [String]

    init(_ inspection: Inspection, held: [PublicKey: [Credential]]) {
        var lines: [String] = []
        let contents = inspection.contents
        let isEncrypted =
            contents.keys.contains { $0.protection != nil }
            || contents.certificates.contains { $0.protection != nil }
        let password = isEncrypted ? " --password-file PASSWORD" : ""
        for finding in inspection.findings {
            guard finding.kind != nil, finding.fault == nil, let merchant = finding.merchant else {
                if let fault = finding.fault, !finding.item.value.isCA {
                    lines.append(fault.remedy)
                }
                continue
            }
            let known = held[finding.item.value.publicKey] ?? []
            if known.contains(where: {
                $0.certificate?.fingerprint == finding.item.value.sha256
            }) {
                lines.append("nothing: \(finding.item.value.sha256.prefix(12)) is imported")
            } else if finding.hasKey || !known.isEmpty {
                lines.append("purser certificate import \(merchant) FILE\(password)")
            } else {
                lines.append(
                    "find its key, then: purser certificate import \(merchant) FILE --key KEY"
                        + password)
                lines.append(
                    "or name the payment provider that holds it: "
                        + "purser certificate import \(merchant) FILE --provider NAME\(password)")
            }
        }
        let certified = Set(inspection.contents.certificates.map(\.value.publicKey))
        for item in inspection.contents.keys where !certified.contains(item.value.publicKey) {
            guard held[item.value.publicKey, default: []].isEmpty,
                WellKnownKeys.source(of: item.value.publicKey) == nil
            else { continue }
            lines.append(
                "give its certificate too, or keep it: purser certificate import MERCHANT FILE --kind KIND"
                    + password)
        }
        if inspection.contents.keys.isEmpty, inspection.contents.certificates.isEmpty,
            inspection.contents.requests.contains(where: {
                held[$0.value.publicKey, default: []].isEmpty
            })
        {
            lines.append(
                "if a provider made it: purser certificate request MERCHANT KIND --csr FILE "
                    + "--provider NAME")
        }
        for problem in inspection.contents.problems { lines.append(problem.error.remedy) }
        var distinct: [String] = []
        for line in lines where !distinct.contains(line) { distinct.append(line) }
        self.lines = distinct
    }
}
