package import Clocks
import FoundationEssentials
import PKI

/// What an act leaves in the ledger.
package struct LedgerEntry: Sendable, Hashable {
    package let at: Timestamp
    package let actor: LedgerActor
    package let act: Act
    /// The thing acted on: a merchant's, credential's or environment's name.
    package let subject: String
    /// What else is worth knowing; never a secret.
    package let detail: [String: String]

    package init(
        at: Timestamp, actor: LedgerActor, act: Act, subject: String, detail: [String: String] = [:]
    ) {
        self.at = at
        self.actor = actor
        self.act = act
        self.subject = subject
        self.detail = detail
    }
}

/// An entry as it is kept: texts exactly as they were hashed.
package struct LedgerRecord: Sendable, Hashable {
    /// 1 for the first entry, then without gaps.
    package let sequence: Int64
    /// RFC 3339, UTC.
    package let at: String
    package let actor: String
    /// A name of ``Act``, or one that a newer program has written.
    package let act: String
    package let subject: String
    /// A JSON object of strings with sorted keys.
    package let detail: String
    /// The hash of the entry before; 32 zero bytes for the first.
    package let previous: [UInt8]
    package let hash: [UInt8]

    /// ``detail`` as a dictionary; nil when it is no object of strings.
    package var details: [String: String]? {
        try? JSONDecoder().decode([String: String].self, from: Data(detail.utf8))
    }
}

/// Where the chain ends; keeping a copy elsewhere proves later that nothing was cut off.
package struct LedgerHead: Sendable, Hashable, CustomStringConvertible {
    /// The number of entries.
    package let sequence: Int64
    /// The last entry's hash, 32 bytes; zeros while there is none.
    package let hash: [UInt8]

    /// Before the first entry.
    package static let beginning = LedgerHead(
        sequence: 0, hash: [UInt8](repeating: 0, count: SHA256.count))

    /// The hash in lower-case hex, which `purser audit verify --head` takes.
    package var text: String { Hexadecimal.lowercase(hash) }

    package var description: String { text }

    /// Reads the hash of a head.
    ///
    /// - Throws: ``LedgerError/badHead`` for anything but 64 hex digits.
    package static func hash(_ text: String) throws(LedgerError) -> [UInt8] {
        guard let bytes = Hexadecimal.decode(text), bytes.count == SHA256.count
        else {
            throw .badHead
        }
        return bytes
    }
}
