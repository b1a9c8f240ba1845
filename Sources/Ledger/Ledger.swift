import Clocks
package import Database
import FoundationEssentials

/// The append-only, hash-chained record of every act.
///
/// An entry is written in the same transaction as the act, so an act that cannot be recorded does
/// not happen. Each entry's hash covers the one before (``LedgerHead``): changing, removing or
/// inserting an entry breaks the chain from there on.
package enum Ledger {
    /// The ledger's part of schema version 1.
    ///
    /// The triggers stop mistakes, not somebody who owns the file: for that there is the chain. The
    /// one on INSERT also stops REPLACE, which deletes a row without firing the one on DELETE.
    package static let schema: SQL = """
        CREATE TABLE ledger (
            seq INTEGER PRIMARY KEY,
            at TEXT NOT NULL,
            actor TEXT NOT NULL,
            act TEXT NOT NULL,
            subject TEXT NOT NULL,
            detail TEXT NOT NULL,
            previous BLOB NOT NULL CHECK (length(previous) = 32),
            hash BLOB NOT NULL CHECK (length(hash) = 32)
        ) STRICT;
        CREATE INDEX ledger_by_subject ON ledger (subject, seq);
        CREATE TRIGGER ledger_is_not_changed BEFORE UPDATE ON ledger
        BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
        CREATE TRIGGER ledger_is_not_shortened BEFORE DELETE ON ledger
        BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
        CREATE TRIGGER ledger_has_no_gaps BEFORE INSERT ON ledger
        WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM ledger)
            OR NEW.previous IS NOT coalesce(
                (SELECT hash FROM ledger ORDER BY seq DESC LIMIT 1), zeroblob(32))
        BEGIN SELECT RAISE(ABORT, 'an entry continues the last one'); END;
        """

    /// Records `entry` in the transaction of its act.
    ///
    /// - Returns: the chain's new end.
    /// - Throws: as ``head(in:)``; the act must not be committed then.
    @discardableResult
    package static func append(
        _ entry: LedgerEntry, in transaction: borrowing Transaction
    ) throws -> LedgerHead {
        let last = try head(in: transaction)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let detail = String(decoding: try encoder.encode(entry.detail), as: UTF8.self)
        let sequence = last.sequence + 1
        let at = entry.at.description
        let hash = LedgerEncoding.hash(
            previous: last.hash, sequence: sequence, at: at, actor: entry.actor.text,
            act: entry.act.rawValue, subject: entry.subject, detail: detail)
        try transaction.execute(
            """
            INSERT INTO ledger (seq, at, actor, act, subject, detail, previous, hash)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(sequence), .text(at), .text(entry.actor.text), .text(entry.act.rawValue),
                .text(entry.subject), .text(detail), .blob(last.hash), .blob(hash),
            ])
        return LedgerHead(sequence: sequence, hash: hash)
    }

    /// The chain's end as it is recorded, without checking the chain.
    ///
    /// - Throws: ``LedgerError/broken(entry:what:)`` for a number after which none can come,
    ///   `DatabaseError`.
    package static func head(in transaction: borrowing Transaction) throws -> LedgerHead {
        let head = try transaction.firstRow(
            of: "SELECT seq, hash FROM ledger ORDER BY seq DESC LIMIT 1"
        ) {
            LedgerHead(sequence: try $0.integer("seq"), hash: try $0.blob("hash"))
        }
        guard let head else { return .beginning }
        guard (1..<Int64.max).contains(head.sequence) else {
            throw LedgerError.broken(entry: head.sequence, what: "no entry has this number")
        }
        return head
    }
}
