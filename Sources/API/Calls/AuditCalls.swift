import Documents
import Ledger
import Merchants
import WebServer

/// The ledger.
enum AuditCalls {
    static let all = [
        Call(
            method: "GET", path: "/v1/audit", summary: "List the acts in the ledger, oldest first.",
            rule: .role(.auditor),
            parameters: Paging.parameters(
                after: .integer(0...Int64.max), "Only entries behind this sequence number.")
                + [
                    QueryParameter("merchant", .merchant, "Only acts on this merchant."),
                    QueryParameter(
                        "act", .choice(Act.allCases.map(\.rawValue)), "Only acts of this name."),
                    QueryParameter(
                        "actor", .string(Schema.Words(length: 1...200)),
                        "Only acts of this user or token, such as alice or token:ID."),
                    QueryParameter("since", .time, "Only acts at this time or later."),
                    QueryParameter("until", .time, "Only acts at this time or earlier."),
                ],
            answers: [AnswerShape(200, Paging.summary, .array(.named("LedgerEntry")))]
        ) { context in
            let query = context.query
            var filter = LedgerFilter(
                act: query["act"].flatMap(Act.init(rawValue:)), actor: query["actor"],
                since: try query.time("since"), until: try query.time("until"))
            if let merchant = try query["merchant"].map({ try MerchantIdentifier($0) }) {
                guard context.caller.covers(merchant) else {
                    throw AccessError.merchantNotCovered(merchant)
                }
                filter.subject = merchant.text
            }
            let only = context.caller.merchants
            if !only.isEmpty { filter.subjects = Set(only.map(\.text)) }
            filter.after = query.integer("after")
            let limit = Paging.limit(query)
            filter.first = limit + 1
            let chosen = filter
            let page = try await context.api.home.read { try Ledger.list(chosen, in: $0) }
            return try Paging.answer(
                page, limit: limit, of: context.request.path, query, document: LedgerDocument.init
            ) { "\($0.sequence)" }
        }
    ]
}
