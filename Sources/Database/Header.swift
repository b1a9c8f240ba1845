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

    /// Refuses another program's file, and one of ours with a version that no migration gives.
    func refuseForeign(path: String) throws(DatabaseError) {
        guard application == Self.ourApplication else { throw .notOurs(path: path) }
        guard version > 0 else {
            throw .schemaChanged(path: path, what: "its version is \(version)")
        }
    }

    func refuseNewer(than known: Int64, path: String) throws(DatabaseError) {
        guard version <= known else {
            throw .newerVersion(path: path, found: version, known: known)
        }
    }
}

extension Connection {
    /// Reads the header in the transaction that is open, so that its parts belong together.
    ///
    /// By pragmas, not by their tables (`pragma_user_version`): a hostile file may hold a table or a
    /// view of that name.
    func header() throws(DatabaseError) -> Header {
        let application = try one("PRAGMA application_id") { row throws(DatabaseError) in
            try row.integer("application_id")
        }
        let hasTables = try one(
            "SELECT EXISTS (SELECT 1 FROM sqlite_schema) AS has_tables"
        ) { row throws(DatabaseError) in try row.boolean("has_tables") }
        return Header(
            application: application, version: try version(), hasTables: hasTables)
    }

    /// The schema's version, as the transaction that is open sees it.
    func version() throws(DatabaseError) -> Int64 {
        try one("PRAGMA user_version") { row throws(DatabaseError) in
            try row.integer("user_version")
        }
    }
}
