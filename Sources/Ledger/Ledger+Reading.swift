package import Clocks
package import Database
import FoundationEssentials
import PKI

/// Which entries are asked for; all by default.
package struct LedgerFilter: Sendable, Hashable {
    /// Only about this thing.
    package var subject: String?
    /// Only about one of these things; nil: about any.
    package var subjects: Set<String>?
    /// Only behind the entry with this sequence number.
    package var after: Int64?
    /// Only of this sort.
    package var act: Act?
    /// Only by this actor: as it is recorded, or a user's bare name.
    package var actor: String?
    /// Only from this moment on.
    package var since: Timestamp?
    /// Only up to this moment, itself included.
    package var until: Timestamp?
    /// Only the newest so many.
    package var limit: Int?
    /// Only the oldest so many, of those that are left.
    package var first: Int?

    package init(
        subject: String? = nil, act: Act? = nil, actor: String? = nil, since: Timestamp? = nil,
        until: Timestamp? = nil, limit: Int? = nil
    ) {
        self.subject = subject
        self.act = act
        self.actor = actor
        self.since = since
        self.until = until
        self.limit = limit
    }
}

extension Ledger {
    /// Hands the entries that pass `filter` to `body`, oldest first, as they are read.
    ///
    /// Memory does not grow with the ledger; with a limit it grows with the limit. `body` returns
    /// false to stop.
    ///
    /// - Throws: `DatabaseError`, and what `body` throws.
    package static func forEach(
        _ filter: LedgerFilter = LedgerFilter(), in transaction: borrowing Transaction,
        _ body: (LedgerRecord) throws -> Bool
    ) throws {
        var query: SQL = "SELECT \(columns) FROM ledger WHERE true"
        var values: [Value] = []
        if let subject = filter.subject {
            query = "\(query) AND subject = ?"
            values.append(.text(subject))
        }
        if let subjects = filter.subjects {
            // One value, whatever their number.
            query = "\(query) AND subject IN (SELECT value FROM json_each(?))"
            values.append(try .text(Self.jsonArray(subjects.sorted())))
        }
        if let after = filter.after {
            query = "\(query) AND seq > ?"
            values.append(.integer(after))
        }
        if let act = filter.act {
            query = "\(query) AND act = ?"
            values.append(.text(act.rawValue))
        }
        if let actor = filter.actor {
            // `alice`, `user:alice` and the whole `user:alice (uid 1000, login 1000)`.
            query = """
                \(query) AND (actor IN (?, ?) OR instr(actor, ? || ' (') = 1
                    OR instr(actor, 'user:' || ? || ' (') = 1)
                """
            values += [
                .text(actor), .text("user:\(actor)"), .text(actor), .text(actor),
            ]
        }
        if let since = filter.since {
            // RFC 3339 in UTC sorts as text.
            query = "\(query) AND at >= ?"
            values.append(.text(since.description))
        }
        if let until = filter.until {
            query = "\(query) AND at <= ?"
            values.append(.text(until.description))
        }
        if let limit = filter.limit {
            query = "SELECT * FROM (\(query) ORDER BY seq DESC LIMIT ?)"
            values.append(.integer(Int64(max(limit, 0))))
        }
        query = "\(query) ORDER BY seq"
        if let first = filter.first {
            query = "\(query) LIMIT ?"
            values.append(.integer(Int64(max(first, 0))))
        }
        try transaction.forEachRow(of: query, values) { row in
            try body(record(row))
        }
    }

    private static func jsonArray(_ texts: [String]) throws -> String {
        String(decoding: try JSONEncoder().encode(texts), as: UTF8.self)
    }

    /// The entries that pass `filter`, oldest first.
    ///
    /// - Throws: `DatabaseError`.
    package static func list(
        _ filter: LedgerFilter = LedgerFilter(), in transaction: borrowing Transaction
    ) throws -> [LedgerRecord] {
        var all: [LedgerRecord] = []
        try forEach(filter, in: transaction) {
            all.append($0)
            return true
        }
        return all
    }

    /// When the first entry was made, and so the home; nil while there is none.
    ///
    /// - Throws: `DatabaseError`.
    package static func firstTime(in transaction: borrowing Transaction) throws -> Timestamp? {
        var first: Timestamp?
        try forEach(in: transaction) { entry in
            first = Timestamp(rfc3339: entry.at)
            return false
        }
        return first
    }

    /// How many entries of one sort there are behind entry `sequence`, by subject.
    ///
    /// - Throws: `DatabaseError`.
    package static func count(
        _ act: Act, after sequence: Int64, in transaction: borrowing Transaction
    ) throws -> [String: Int64] {
        var counts: [String: Int64] = [:]
        try transaction.forEachRow(
            of: """
                SELECT subject, count(*) AS entries FROM ledger
                WHERE seq > ? AND act = ? GROUP BY subject
                """,
            [.integer(sequence), .text(act.rawValue)]
        ) {
            counts[try $0.text("subject")] = try $0.integer("entries")
            return true
        }
        return counts
    }

    /// Walks the whole chain and checks every number, link and hash, in constant memory.
    ///
    /// `head` is the hash of an end seen earlier and kept elsewhere (32 bytes): the chain must hold
    /// it. Without one, entries cut off at the end are not noticed.
    ///
    /// `found` gets the entry whose hash is `head`.
    ///
    /// - Returns: the chain's present end.
    /// - Throws: ``LedgerError/broken(entry:what:)`` with the first entry that is wrong,
    ///   ``LedgerError/headMissing(entries:)``, `DatabaseError`.
    package static func verify(
        expecting head: [UInt8]? = nil, in transaction: borrowing Transaction,
        found: (LedgerHead) -> Void = { _ in }
    ) throws -> LedgerHead {
        var end = LedgerHead.beginning
        // The hash before the first entry is in every chain and proves nothing: it is not looked for.
        var isHeadSeen = head == nil
        try transaction.forEachRow(of: "SELECT \(columns) FROM ledger ORDER BY seq") { row in
            let next = end.sequence + 1
            let entry: LedgerRecord
            do {
                entry = try record(row)
            } catch DatabaseError.wrongColumn(let name, let what) {
                throw LedgerError.broken(entry: next, what: "its \(name) is unusable, \(what)")
            }
            try check(entry, continues: end)
            end = LedgerHead(sequence: next, hash: entry.hash)
            if entry.hash == head {
                isHeadSeen = true
                found(end)
            }
            return true
        }
        guard isHeadSeen else { throw LedgerError.headMissing(entries: end.sequence) }
        return end
    }

    private static func check(
        _ found: LedgerRecord, continues end: LedgerHead
    ) throws(LedgerError) {
        let next = end.sequence + 1
        guard found.sequence == next else {
            throw .broken(entry: next, what: "it is missing; \(found.sequence) follows")
        }
        guard found.previous == end.hash else {
            throw .broken(entry: next, what: "it does not continue the entry before")
        }
        let hash = LedgerEncoding.hash(
            previous: found.previous, sequence: found.sequence, at: found.at, actor: found.actor,
            act: found.act, subject: found.subject, detail: found.detail)
        guard hash == found.hash else {
            throw .broken(entry: next, what: "its hash does not fit what it says")
        }
    }

    private static let columns: SQL = "seq, at, actor, act, subject, detail, previous, hash"

    private static func record(_ row: borrowing Row) throws(DatabaseError) -> LedgerRecord {
        LedgerRecord(
            sequence: try row.integer("seq"), at: try row.text("at"),
            actor: try row.text("actor"), act: try row.text("act"),
            subject: try row.text("subject"), detail: try row.text("detail"),
            previous: try row.blob("previous"), hash: try row.blob("hash"))
    }
}
