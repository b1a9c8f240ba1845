import Issuance
import Merchants
import PKI

/// What to do with a file that was inspected.
struct NextSteps {
    let lines: [String]

    init(_ inspection: Inspection, held: [PublicKey: [Credential]]) {
        var lines: [String] = []
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
                lines.append("purser certificate import \(merchant) FILE")
            } else {
                lines.append(
                    "find its key, then: purser certificate import \(merchant) FILE --key KEY")
            }
        }
        let certified = Set(inspection.contents.certificates.map(\.value.publicKey))
        for item in inspection.contents.keys where !certified.contains(item.value.publicKey) {
            guard held[item.value.publicKey, default: []].isEmpty,
                WellKnownKeys.source(of: item.value.publicKey) == nil
            else { continue }
            lines.append(
                "give its certificate too, or keep it: purser certificate import MERCHANT FILE --kind KIND"
            )
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
