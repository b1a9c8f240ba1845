import Clocks
import Merchants

/// A merchant as JSON and as text.
struct MerchantReport: Report, ReportRow {
    let id: String
    let realm: String
    let environments: [String]
    @OrNull var name: String?
    @OrNull var displayName: String?
    @OrNull var team: String?
    let owners: [String]
    let createdAt: Timestamp
    @OrNull var retiredAt: Timestamp?

    init(_ merchant: Merchant) {
        id = merchant.identifier.text
        realm = merchant.realm.text
        environments = merchant.environments.map(\.text)
        owners = merchant.owners
        createdAt = merchant.createdAt
        name = merchant.name
        displayName = merchant.displayName?.text
        team = merchant.team
        retiredAt = merchant.retiredAt
    }

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

/// A merchant with its domains and credentials.
struct MerchantDetailReport: Report {
    let merchant: MerchantReport
    let domains: [String]
    let certificates: [CredentialReport]

    private enum Keys: String, CodingKey { case domains, certificates }

    func encode(to encoder: any Encoder) throws {
        try merchant.encode(to: encoder)
        var more = encoder.container(keyedBy: Keys.self)
        try more.encode(domains, forKey: .domains)
        try more.encode(certificates, forKey: .certificates)
    }

    func text(width: Int) -> String {
        let shops = domains.isEmpty ? nil : domains.joined(separator: " ")
        var text = FieldList(merchant.fields + [("domains", shops)]).rendered
        let rows = certificates.map(\.cells)
        if !rows.isEmpty {
            text += "\n" + TextTable(titles: CredentialReport.titles, rows: rows).rendered
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

    init(_ environment: GatewayEnvironment) {
        name = environment.name.text
        realm = environment.realm.text
        gateway = environment.gateway.description
        builtIn = environment.isBuiltIn
    }

    static let titles = ["NAME", "REALM", "GATEWAY", "ORIGIN"]
    var cells: [String] { [name, realm, gateway, builtIn ? "built in" : "added"] }

    func text(width: Int) -> String { "\(name) \(gateway)\n" }

    /// As an act has left it.
    func after(_ outcome: Outcome) -> ActReport<Self> {
        ActReport(self, "\(name) \(gateway)", outcome)
    }
}
