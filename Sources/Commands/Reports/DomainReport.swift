import Clocks
import Documents
import Issuance

extension DomainDocument: Report, ReportRow {
    static let titles = ["DOMAIN", "ASSOCIATION FILE"]
    var cells: [String] {
        let file = associationFile.map { file in
            "\(file.form) form" + (file.createdAt.map { ", made \($0)" } ?? "")
        }
        return [domain, file ?? "–"]
    }

    func text(width: Int) -> String { "\(domain)\n" }

    /// As an act has left it.
    func after(_ outcome: Outcome) -> ActReport<Self> { ActReport(self, domain, outcome) }

    /// As `domain add` has left it.
    func after(_ added: AddedDomain) -> ActReport<Self> {
        var name = domain
        switch added.file {
        case nil: break
        case .kept?: name += added.isNew ? " with its association file" : ": its association file"
        case .replaced?: name += ": its association file"
        case .present?: name += " with this association file"
        }
        let outcome: Outcome =
            added.file == .replaced ? .replaced : added.isChange ? .added : .present
        return ActReport(self, name, outcome)
    }
}
