import Documents
import Issuance
import Merchants

/// A credential whose use has ended: its JSON object with `changed`, `successor` and `next`.
struct EndReport: Report {
    let credential: CredentialDocument
    let changed: Bool
    /// The identity that was put back to use in its place.
    let successor: CredentialDocument?
    /// What is left for a person to do; each a phrase.
    let next: [String]

    private enum Keys: String, CodingKey { case changed, successor, next }

    init(_ ended: EndedCredential, next: [String]) {
        credential = CredentialDocument(ended.credential)
        changed = ended.isChanged
        successor = ended.successor.map(CredentialDocument.init)
        self.next = next
    }

    func encode(to encoder: any Encoder) throws {
        try credential.encode(to: encoder)
        var more = encoder.container(keyedBy: Keys.self)
        try more.encode(changed, forKey: .changed)
        try more.encode(successor?.id, forKey: .successor)
        try more.encode(next, forKey: .next)
    }

    func text(width: Int) -> String {
        credential.line + (successor?.line ?? "")
            + next.map { "next: \(TerminalText.escaped($0))\n" }.joined()
    }
}
