import Issuance
import Merchants

/// `purser certificate revoke`.
enum CertificateRevokeCommand {
    static let reason = Option(
        "reason", "REASON",
        "why: " + RevocationReason.allCases.map(\.rawValue).joined(separator: ", "),
        kind: .values(RevocationReason.allCases.map(\.rawValue)), isRequired: true)

    static let verb = Verb(
        "certificate", "revoke", summary: "record that a certificate is revoked, and stop using it",
        discussion: [
            "It is final. Revoking the identity in use puts the retiring one back to use, where there is "
                + "one with a valid certificate; running services follow within a second. Apple learns "
                + "nothing of it: what is to be done there is printed.",
            "The key is kept until it is destroyed, because payment tokens may still arrive under it.",
        ],
        arguments: [.credential(.revocable)], options: [reason],
        examples: [
            Example(
                "purser certificate revoke 3f09a1c2d4e5 --reason key-compromise",
                "stop using a key that somebody else may have")
        ],
        needs: .key, isAct: true, run: run)

    static func run(_ invocation: Invocation) async throws {
        let id = try CredentialIdentifier(invocation[.credential])
        guard let reason = RevocationReason(rawValue: invocation.required(reason)) else {
            preconditionFailure("--reason is a closed list")
        }
        let unlocked = try await invocation.unlockHome()
        let ended = try await unlocked.home.revoke(id, reason: reason, vault: unlocked.vault)
        if reason == .keyCompromise { invocation.warnOfCopies(ended) }
        try invocation.print(EndReport(ended, next: steps(after: ended)))
    }

    /// What is left to do, at Apple above all.
    private static func steps(after ended: EndedCredential) -> [String] {
        let credential = ended.credential
        let portal = "Apple's developer portal"
        var steps: [String] = []
        if credential.custody == .provider {
            steps.append("tell \(credential.provider ?? "the provider"), which holds the key")
        }
        if let serial = credential.certificate?.serialNumber {
            steps.append(
                "revoke the certificate with serial number \(serial) in \(portal), if it is not yet"
            )
        } else {
            steps.append(
                "if Apple has made a certificate from its CSR, revoke that in \(portal)")
        }
        return steps + succession(after: ended)
    }

    /// What is to take its place; nothing where that is settled, or where it never was in use.
    private static func succession(after ended: EndedCredential) -> [String] {
        let credential = ended.credential
        guard ended.isInService, credential.custody == .local, credential.activatedAt != nil
        else { return [] }
        let isIdentity = credential.kind == .merchantIdentity
        let rivals = ended.others.filter { $0.custody == .local || !isIdentity }
        guard !rivals.contains(where: { $0.state == .active }) else { return [] }
        let waiting = rivals.last { $0.state == .issued }
        let request =
            "purser certificate request \(credential.merchant) \(credential.kind.rawValue)"
        if isIdentity {
            let act = waiting.map { "purser certificate activate \($0.id)" } ?? request
            return [
                "sessions of \(credential.merchant) fail from now on, no identity is in use: \(act)"
            ]
        }
        let act =
            waiting.map {
                "activate it in Apple's portal, then: purser certificate activated \($0.id)"
            } ?? request
        return [
            "put a new one to use, tokens come under this key until another is active at Apple: \(act)"
        ]
    }
}

extension Invocation {
    /// One key of several credentials is lost, or kept, for all of them.
    func warnOfCopies(_ ended: EndedCredential) {
        for other in ended.sharing where other.state != .destroyed {
            warn(
                "its key is also that of credential \(other.id) of \(other.merchant), "
                    + "which is \(other.state.rawValue)",
                hint: "see: purser certificate show \(other.id)")
        }
    }
}
