import Clocks
import Documents
import Merchants

extension MerchantDocument: Report, ReportRow {
    static let titles = ["MERCHANT", "ENVIRONMENTS", "DISPLAY NAME", "STATE"]

    var cells: [String] {
        [
            id, environments.joined(separator: " "), displayName ?? "–",
            retiredAt == nil ? "in service" : "retired",
        ]
    }

    func text(width: Int) -> String { FieldList(fields).rendered }

    var fields: [(String, String?)] {
        [
            ("merchant", id), ("realm", realm),
            ("environments", environments.joined(separator: " ")), ("name", name),
            ("display name", displayName), ("team", team),
            ("owners", owners.isEmpty ? nil : owners.joined(separator: " ")),
            ("created", createdAt.description), ("retired", retiredAt?.description),
        ]
    }
}

extension MerchantDetailDocument: Report {
    func text(width: Int) -> String {
        let shops = domains.isEmpty ? nil : domains.joined(separator: " ")
        var text = FieldList(merchant.fields + [("domains", shops)]).rendered
        let rows = certificates.map(\.cells)
        if !rows.isEmpty {
            text += "\n" + TextTable(titles: CredentialDocument.titles, rows: rows).rendered
        }
        return text
    }
}

/// An environment as JSON and as text.
struct EnvironmentReport: Report, ReportRow {
    let name: String
    let realm: String
    let gateway: String
    let builtIn: Bool
    /// Null where it is reached directly.
    @OrNull var proxy: String?

    init(_ environment: GatewayEnvironment) {
        name = environment.name.text
        realm = environment.realm.text
        gateway = environment.gateway.description
        builtIn = environment.isBuiltIn
        proxy = environment.proxy
    }

    static let titles = ["NAME", "REALM", "GATEWAY", "ORIGIN", "PROXY"]
    var cells: [String] {
        [name, realm, gateway, builtIn ? "built in" : "added", proxy ?? "none"]
    }

    func text(width: Int) -> String { "\(name) \(gateway)\n" }

    /// As an act has left it.
    func after(_ outcome: Outcome) -> ActReport<Self> {
        ActReport(self, "\(name) \(gateway)", outcome)
    }
}
