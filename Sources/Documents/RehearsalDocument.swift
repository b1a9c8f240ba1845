package import Issuance
import Merchants
import Sessions

/// What a rehearsal that Apple did not refuse has shown, as JSON.
package struct RehearsalDocument: Encodable, Sendable {
    package let id: String
    package let merchant: String
    package let environment: String
    package let domain: String
    /// `proven`, or `incomplete`: the certificate is accepted, something else is unfinished.
    package let outcome: String
    @OrNull package var code: String?
    @OrNull package var reason: String?
    @OrNull package var remedy: String?

    /// The document of `rehearsal`.
    package init(_ rehearsal: Rehearsal) {
        id = rehearsal.credential.id.text
        merchant = rehearsal.credential.merchant.text
        environment = rehearsal.environment.text
        domain = rehearsal.domain.text
        outcome = rehearsal.verdict.name
        let error = rehearsal.verdict.reason
        code = error?.code
        reason = error?.summary
        remedy = error?.remedy
    }
}
