import Clocks
import Documents

extension TokenDocument: Report, ReportRow {
    static let titles = ["ID", "ROLES", "MERCHANTS", "NETWORKS", "STATE", "LAST USED", "NOTE"]

    var cells: [String] {
        [
            id, roles.joined(separator: " "), all(merchants), all(networks), validity,
            lastUse ?? "never", note ?? "–",
        ]
    }

    /// When and from where.
    private var lastUse: String? {
        lastUsedAt.map { at in "\(at)" + (lastUsedFrom.map { " from \($0)" } ?? "") }
    }

    private var validity: String {
        guard state == "valid", let expiresAt else { return state }
        return "until \(expiresAt)"
    }

    private func all(_ names: [String]) -> String {
        names.isEmpty ? "any" : names.joined(separator: " ")
    }

    func text(width: Int) -> String {
        FieldList([
            ("id", id), ("roles", roles.joined(separator: " ")), ("merchants", all(merchants)),
            ("networks", all(networks)), ("note", note), ("state", state),
            ("created", createdAt.description), ("expires", expiresAt?.description),
            ("revoked", revokedAt?.description), ("last used", lastUse),
        ]).rendered
    }
}
