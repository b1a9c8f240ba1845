import WebServer

/// Lists that may be long: a page at a time, with a link to the page behind it.
///
/// The link is `Link: …; rel="next"` (RFC 8288). A page begins behind a name or number, so that nothing
/// is shown twice when the list grows.
enum Paging {
    static let usual: Int64 = 100
    static let most: Int64 = 1_000
    static let summary =
        "A page; a Link header with rel=\"next\" names the next, where there is one."

    /// The parameters `limit` and `after`.
    static func parameters(after: Schema, _ summary: String) -> [QueryParameter] {
        [
            QueryParameter(
                "limit", .integer(1...most), "At most so many; \(usual) where left out."),
            QueryParameter("after", after, summary),
        ]
    }

    static func limit(_ query: CallQuery) -> Int { Int(query.integer("limit") ?? usual) }

    /// The first `limit` of `found`, which was asked for with one more: if that is there, so is a next
    /// page.
    static func answer<Item, Document: Encodable>(
        _ found: [Item], limit: Int, of path: String, _ query: CallQuery,
        document: (Item) -> Document,
        cursor: (Item) -> String
    ) throws -> Answer {
        let page = found.prefix(limit)
        var answer = try Answer.document(page.map(document))
        if found.count > limit, let last = page.last {
            let next = query.text(replacing: "after", by: cursor(last))
            answer.response.headers.set("Link", "<\(path)?\(next)>; rel=\"next\"")
        }
        return answer
    }
}
