package import Ledger
import PKI

/// An entry of the ledger as JSON; its keys are a contract of the command line and of the HTTP API.
package struct LedgerDocument: Encodable, Sendable {
    package let sequence: Int64
    /// RFC 3339 UTC, as it was hashed.
    package let at: String
    package let actor: String
    package let act: String
    package let subject: String
    package let detail: [String: String]
    /// Lower-case hex.
    package let hash: String

    /// The document of `record`.
    package init(_ record: LedgerRecord) {
        sequence = record.sequence
        at = record.at
        actor = record.actor
        act = record.act
        subject = record.subject
        detail = record.details ?? [:]
        hash = Hexadecimal.lowercase(record.hash)
    }
}
