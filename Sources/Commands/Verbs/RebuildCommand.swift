import Documents
import Issuance
import Ledger
import Merchants
import Vault

/// `purser rebuild`.
enum RebuildCommand {
    static let verb = Verb(
        "rebuild", summary: "make new records from the keys, where purser.db is lost",
        discussion: [
            "For a home whose database is gone and of which there is no backup: the keys and the files "
                + "beside them bring back merchants, kinds, states, CSRs, certificates and keys. The "
                + "ledger begins anew. Domains, names, owners, environments, trust roots, merchants without "
                + "a key and certificates of payment providers are lost; a backup would have them.",
            "A home that has its database is refused. A damaged one must be moved away first, with its "
                + "purser.db-wal.",
        ],
        examples: [
            Example("purser rebuild --json", "make new records and list what came back")
        ],
        needs: .key, isAct: true, run: run)

    static func run(_ invocation: Invocation) async throws {
        let actor = LedgerActor.current()
        try HomeGuard.admit(invocation.layout)
        let named = try await invocation.namedUnlocker()
        try invocation.enterHome()
        let secret = if let named { named } else { try await invocation.otherUnlocker() }
        let rebuilt = try await OpenHome.rebuild(
            invocation.layout, secret: secret, clock: invocation.context.clock, actor: actor)
        for finding in rebuilt.findings { invocation.warn("\(finding.path) \(finding.what)") }
        try invocation.print(RebuildReport(rebuilt))
    }
}

/// Records that were made anew.
private struct RebuildReport: Report {
    let merchants: [String]
    let credentials: [CredentialDocument]
    let findings: [Finding]
    /// What is left for a person to do; each a phrase.
    let next: [String]

    struct Finding: Encodable {
        /// Below the home.
        let path: String
        let what: String
    }

    init(_ rebuilt: RebuiltHome) {
        merchants = rebuilt.merchants.map(\.text)
        credentials = rebuilt.credentials.map { CredentialDocument($0) }
        findings = rebuilt.findings.map { Finding(path: $0.path, what: $0.what) }
        let elsewhere = Set(rebuilt.credentials.map(\.realm)).subtracting([.apple]).sorted()
        next =
            elsewhere.map {
                "define the environments of realm \($0) again: purser environment add NAME "
                    + "--realm \($0) …, then purser merchant set MERCHANT --environment NAME"
            } + [
                "trust Apple's roots again, so that certificates are proven: purser trust fetch",
                "register the domains again, with their association files: purser domain add MERCHANT "
                    + "DOMAIN --association-file FILE",
                "make API tokens again, and set proxies: purser api-token create, "
                    + "purser environment set NAME --proxy URL",
                "set names, owners and teams again, and environments but production: "
                    + "purser merchant set MERCHANT",
                "add merchants that had no key here again, and import what providers hold the keys of",
                "retire again what was retired: purser merchant retire MERCHANT",
                "restart running services, and make a backup: purser backup FILE",
            ]
    }

    func text(width: Int) -> String {
        "\(merchants.count) merchant\(merchants.count == 1 ? "" : "s") came back\n"
            + credentials.map(\.line).joined()
            + next.map { "next: \(TerminalText.escaped($0))\n" }.joined()
    }
}
