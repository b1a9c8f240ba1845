/// What the file says about itself: whose it is, and of which version.
struct Header {
    /// "Purs", in the field that SQLite reserves for this (sqlite.org/pragma.html#pragma_application_id).
    static let ourApplication: Int64 = 0x5075_7273

    let application: Int64
    let version: Int64
    let hasTables: Bool

    /// Whether nothing has been put into it: a file of no bytes, or one whose first migration
    /// did not come to its end.
    var isBlank: Bool { application == 0 && version == 0 && !hasTables }

    func refuseForeign(path: String) throws(DatabaseError) {
        guard application == Self.ourApplication else { throw .notOurs(path: path) }
    }

    func refuseNewer(than known: Int64, path: String) throws(DatabaseError) {
        guard version <= known else {
            throw .newerVersion(path: path, found: version, known: known)
        }
    }
}

extension Connection {
    /// Reads the header; one statement, so that its parts belong together.
    func header() throws(DatabaseError) -> Header {
        try one(
            """
            SELECT application_id, user_version, EXISTS (SELECT 1 FROM sqlite_schema) AS has_tables
            FROM pragma_application_id, pragma_user_version
            """
        ) { row throws(DatabaseError) in
            try Header(
                application: row.integer("application_id"), version: row.integer("user_version"),
                hasTables: row.boolean("has_tables"))
        }
    }

    /// The schema's version, as the transaction that is open sees it.
    func version() throws(DatabaseError) -> Int64 {
        try one("PRAGMA user_version") { row throws(DatabaseError) in
            try row.integer("user_version")
        }
    }
}
