import Issuance
import Merchants

/// `purser rotate`.
enum RotateCommand {
    static let verb = Verb(
        "rotate",
        summary: "begin the rotation of one certificate, or say what comes next in it",
        discussion: [
            "Where nothing is under way it makes a new key and its CSR, whether or not the one in use "
                + "expires soon. Where something is, it changes nothing and says what is open: Apple's "
                + "portal in words, and the commands.",
            "An identity is rehearsed with a real session before it is used, and the one before stays "
                + "as the way back for 7 days (rotation.graceDays). A processing certificate is activated "
                + "at Apple, once and for good; the old key goes on opening tokens, and is retired "
                + "when none has come for 14 days (rotation.quietDays). What needs no person is done "
                + "by purser renew --commit.",
        ],
        arguments: [.merchant, CertificateRequestCommand.kind],
        examples: [
            Example(
                "purser rotate merchant.com.example.shop payment-processing",
                "replace a processing certificate, step by step")
        ],
        needs: .key, isAct: true, run: run)

    static func run(_ invocation: Invocation) async throws {
        let merchant = try MerchantIdentifier(invocation[.merchant])
        let kind = invocation.kind(CertificateRequestCommand.kind)
        let unlocked = try await invocation.unlockHome()
        let scope = try await invocation.policyScope()
        let (rotation, began) = try await unlocked.home.rotate(
            merchant, kind, scope, vault: unlocked.vault)
        if began {
            let facts = try await unlocked.home.facts(of: merchant, scope)
            let limits = facts.filter { $0.kind == kind }.flatMap(KindPolicies.findings).filter {
                $0.policy == .nearLimit && $0.urgency != .fine
            }
            for limit in limits { invocation.warn(limit.summary, hint: limit.remedy) }
        }
        try invocation.print(RotationReport(rotation, began: began))
    }
}
