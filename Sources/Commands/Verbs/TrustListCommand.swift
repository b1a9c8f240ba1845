import Database
import Issuance
import Registry

/// `purser trust list`.
enum TrustListCommand {
    static let verb = Verb(
        "trust", "list", summary: "list the roots that certificates are verified to",
        discussion: [
            "Those of realm apple are pinned roots and intermediates that verified to one; those of "
                + "other realms came from the operator."
        ],
        examples: [Example("purser trust list", "see what is trusted, and until when")],
        needs: .home, run: run)

    static func run(_ invocation: Invocation) async throws {
        let home = try await invocation.openHome(.readOnly)
        let all = try await home.trusted()
        try invocation.print(ListReport(all.map(TrustReport.init)))
        if all.isEmpty {
            invocation.context.tell("note", "no root is trusted yet, so no issuer can be proven")
            invocation.context.tell(
                "hint", "run: purser trust fetch; without a network: purser help trust add")
        }
        for trusted in all where trusted.certificate == nil {
            let name = "\(trusted.record.realm)/\(trusted.record.fingerprint)"
            let missing = IssuanceError.anchorMissing(name)
            invocation.warn(missing.summary, hint: missing.remedy)
        }
    }
}
