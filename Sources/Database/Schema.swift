/// Everything that a database consists of, as it was declared: tables, indexes, triggers, views.
///
/// Whoever can write the file can plant a trigger that changes what we write, a view in a table's
/// place, or a table without its rules. None of that is damage to SQLite, and the chain of the ledger
/// covers records only. So the schema found is compared with the one that the migrations make.
/// Turning triggers off instead would turn off our own, which keep the ledger append-only.
struct Schema: Equatable {
    /// One row of `sqlite_schema`.
    struct Object: Hashable {
        let type: String
        let name: String
        let table: String
        /// The statement that made it, word for word; nil for what SQLite makes by itself.
        let sql: String?
    }

    private let objects: Set<Object>

    init(_ objects: Set<Object>) {
        self.objects = objects
    }

    /// All but the triggers, which have no part in reading.
    var withoutTriggers: Schema { Schema(objects.filter { $0.type != "trigger" }) }

    /// Says what is not as it was made; nil where all is.
    func difference(from expected: Schema) -> String? {
        // The least name first, so that the same file always gets the same answer.
        let ours = Dictionary(
            expected.objects.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let wrong = objects.subtracting(expected.objects)
            .min { ($0.name, $0.type) < ($1.name, $1.type) }
        if let wrong {
            let isKnown = ours[wrong.name] != nil
            return isKnown
                ? "\(Self.shown(wrong)) is not as it was made"
                : "\(Self.shown(wrong)) does not belong there"
        }
        let missing = expected.objects.subtracting(objects).min { $0.name < $1.name }
        return missing.map { "\(Self.shown($0)) is missing" }
    }

    /// Names come from the file: no longer than fits a line, and without control characters.
    private static func shown(_ object: Object) -> String {
        func plain(_ text: String) -> String {
            String(
                text.prefix(40).filter {
                    $0.isASCII && !$0.isNewline && $0 >= " " && $0 != "\u{7F}"
                })
        }
        return "\(plain(object.type)) \(plain(object.name))"
    }

    /// What `ANALYZE`, run by an administrator, leaves: statistics for the planner, no rules.
    fileprivate static let statistics: Set<Object> = [
        Object(
            type: "table", name: "sqlite_stat1", table: "sqlite_stat1",
            sql: "CREATE TABLE sqlite_stat1(tbl,idx,stat)"),
        Object(
            type: "table", name: "sqlite_stat4", table: "sqlite_stat4",
            sql: "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)"),
    ]

    /// More objects than any version of ours will have.
    fileprivate static let objectLimit = 1_000
}

extension Connection {
    /// Reads the schema in the transaction that is open.
    func schema() throws(DatabaseError) -> Schema {
        var objects: Set<Schema.Object> = []
        let sql = "SELECT type, name, tbl_name, sql FROM sqlite_schema"
        let statement = try statement(sql, [])
        while try statement.step(), objects.count <= Schema.objectLimit {
            let row = Row(statement)
            let object = Schema.Object(
                type: try row.text("type"), name: try row.text("name"),
                table: try row.text("tbl_name"), sql: try row.optionalText("sql"))
            guard !Schema.statistics.contains(object) else { continue }
            guard objects.insert(object).inserted else {
                throw .schemaChanged(path: path, what: "something stands in it twice")
            }
        }
        keep(statement, sql)
        return Schema(objects)
    }
}
