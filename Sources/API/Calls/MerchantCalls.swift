import Database
import Documents
import Issuance
import Merchants
import PKI
import Registry
import WebServer

/// Merchants and their domains.
enum MerchantCalls {
    static let all = [list, show, certificates, add, addDomain, removeDomain]

    private static let list = Call(
        method: "GET", path: "/v1/merchants",
        summary: "List merchants by identifier, also retired ones.", rule: .role(.auditor),
        parameters: Paging.parameters(
            after: .string(Schema.Words(length: 1...200)), "Only those behind this identifier."),
        answers: [AnswerShape(200, Paging.summary, .array(.named("Merchant")))]
    ) { context in
        let limit = Paging.limit(context.query)
        let after = context.query["after"] ?? ""
        let only = context.caller.merchants
        let page = try await context.api.home.read { transaction in
            try MerchantRecords.page(after: after, limit: limit + 1, only: only, in: transaction)
                .map { try MerchantRecords.find($0, in: transaction) }
        }
        return try Paging.answer(
            page, limit: limit, of: context.request.path, context.query,
            document: MerchantDocument.init,
            cursor: \.identifier.text)
    }

    private static let show = Call(
        method: "GET", path: "/v1/merchants/{id}",
        summary: "A merchant with its domains and credentials.", rule: .role(.auditor),
        answers: [AnswerShape(200, "The merchant.", .named("MerchantDetail"))]
    ) { context in
        let id = try context.merchant()
        let document = try await context.api.home.read { transaction in
            MerchantDetailDocument(
                merchant: MerchantDocument(try MerchantRecords.find(id, in: transaction)),
                domains: try Domains.list(of: id, in: transaction).map(\.text),
                certificates: try Credentials.list(merchant: id, in: transaction)
                    .map(CredentialDocument.init))
        }
        return try .document(document, about: id)
    }

    private static let certificates = Call(
        method: "GET", path: "/v1/merchants/{id}/certificates",
        summary: "A merchant's credentials, of both kinds and in every state.",
        rule: .role(.auditor),
        answers: [AnswerShape(200, "The credentials.", .array(.named("Certificate")))]
    ) { context in
        let id = try context.merchant()
        let documents = try await context.api.home.read { transaction in
            _ = try MerchantRecords.find(id, in: transaction)
            return try Credentials.list(merchant: id, in: transaction).map(CredentialDocument.init)
        }
        return try .document(documents, about: id)
    }

    private static let add = Call(
        method: "POST", path: "/v1/merchants", summary: "Register a merchant identifier.",
        rule: .role(.operator),
        body: BodyShape([
            Schema.Property("id", .merchant, "As in Apple's portal."),
            .optional(
                "environments", .array(.environment, upTo: 16),
                "The gateways it may use, all of one realm; production where left out."),
            .optional("name", .string(Schema.Words(length: 1...200)), "A label for staff."),
            .optional(
                "displayName", .string(Schema.Words(length: 1...64)),
                "The shop's name on Apple's payment sheet; needed before the first session."),
            .optional(
                "team", .string(Schema.Words(pattern: "^[A-Z0-9]{10}$", length: 10...10)),
                "Apple's team identifier."),
            .optional(
                "owners", .array(.string(Schema.Words(format: "email", length: 3...254)), upTo: 16),
                "Addresses that are warned."),
        ]),
        answers: [AnswerShape(201, "The merchant.", .named("Merchant"))]
    ) { context in
        let id = try MerchantIdentifier(try context.body.required("id"))
        guard context.caller.covers(id) else { throw AccessError.merchantNotCovered(id) }
        let names = context.body.strings("environments").map(once)
        let environments = try names?.map { try EnvironmentName($0) }
        guard environments?.isEmpty != true else {
            throw RequestError.badValue("environments", expected: "at least one")
        }
        var change = MerchantChange()
        change.name = context.body["name"]
        change.displayName = try context.body["displayName"].map { try DisplayName($0) }
        change.team = try context.body["team"].map { try checkTeam($0) }
        change.owners = try context.body.strings("owners").map(once)?.map {
            try checkMailAddress($0)
        }
        let wanted = change
        let merchant = try await context.act { home, _ in
            try await home.addMerchant(
                id, environments: environments ?? [.production], change: wanted)
        }
        return try .document(MerchantDocument(merchant), status: 201, about: id)
    }

    /// The same texts in their order, each once.
    private static func once(_ texts: [String]) -> [String] {
        var seen: Set<String> = []
        return texts.filter { seen.insert($0).inserted }
    }

    private static let addDomain = Call(
        method: "PUT", path: "/v1/merchants/{id}/domains/{domain}",
        summary: "Register a shop's domain for a merchant, with Apple's association file.",
        rule: .role(.operator),
        body: BodyShape([
            .optional(
                "associationFile", .string(Schema.Words(format: "byte", length: 1...90_000)),
                "The file as Apple made it, base64; kept in place of one before, and served.")
        ]),
        answers: [
            AnswerShape(200, "It was registered before.", .named("Domain")),
            AnswerShape(201, "It is registered now.", .named("Domain")),
        ]
    ) { context in
        let id = try context.merchant()
        let domain = try DomainName(context.names["domain"] ?? "")
        try await refuseOthers(domain, context)
        let text = context.body["associationFile"]
        let added = try await context.act { home, _ in
            let file = try text.map { text in
                guard let bytes = Base64.decode(text) else {
                    throw RequestError.badValue("associationFile", expected: "base64")
                }
                return try AssociationFile(bytes)
            }
            return try await home.addDomain(domain, of: id, file: file)
        }
        let kept = try await context.api.home.read {
            try AssociationFiles.find(domain, of: id, in: $0)
        }
        return try .document(
            DomainDocument(domain, of: id, kept), status: added.isNew ? 201 : 200, about: id)
    }

    /// A token that is bound to merchants may not get between another merchant and its domain: sessions
    /// would have to name the merchant, and the site's association file would be this one's.
    private static func refuseOthers(
        _ domain: DomainName, _ context: CallContext
    ) async throws {
        let holders = try await context.api.home.read {
            try Domains.merchants(registering: domain, in: $0)
        }
        guard holders.allSatisfy(context.caller.covers) else {
            throw AccessError.domainNotCovered(domain)
        }
    }

    private static let removeDomain = Call(
        method: "DELETE", path: "/v1/merchants/{id}/domains/{domain}",
        summary: "Forget a domain: no session is asked for it any more.", rule: .role(.operator),
        answers: [AnswerShape(204, "It is forgotten.")]
    ) { context in
        let id = try context.merchant()
        let domain = try DomainName(context.names["domain"] ?? "")
        try await context.act { home, _ in try await home.removeDomain(domain, of: id) }
        var answer = Answer(.empty())
        answer.merchant = id
        return answer
    }
}
