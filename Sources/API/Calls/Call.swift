import Merchants
import Sessions
import WebServer

/// One call of the HTTP API: the router, the doorkeeper, the check of what is sent, and the OpenAPI
/// document all read it here.
///
/// A class, because each request looks one up and hands it on.
final class Call: Sendable {
    let method: String
    /// A router's pattern, such as `/v1/merchants/{id}`.
    let path: String
    /// A sentence for the document.
    let summary: String
    let rule: AccessRule
    /// Whether it may come by HTTP/1.0 and without a token from this machine: it tells nothing of value.
    let isHarmless: Bool
    /// Whether bound tokens are no use: it tells of all merchants.
    let isAboutAllMerchants: Bool
    /// Whether what stands behind a `?` is passed over: it is fetched by whom nobody here can teach.
    let takesAnyQuery: Bool
    let parameters: [QueryParameter]
    let body: BodyShape?
    let answers: [AnswerShape]
    /// Nil for the checkout's call, which ``ServiceAPI`` makes on the shortest way.
    let run: (@Sendable (CallContext) async throws -> Answer)?

    init(
        method: String, path: String, summary: String, rule: AccessRule, isHarmless: Bool = false,
        isAboutAllMerchants: Bool = false, takesAnyQuery: Bool = false,
        parameters: [QueryParameter] = [], body: BodyShape? = nil, answers: [AnswerShape],
        run: (@Sendable (CallContext) async throws -> Answer)?
    ) {
        self.method = method
        self.path = path
        self.summary = summary
        self.rule = rule
        self.isHarmless = isHarmless
        self.isAboutAllMerchants = isAboutAllMerchants
        self.takesAnyQuery = takesAnyQuery
        self.parameters = parameters
        self.body = body
        self.answers = answers
        self.run = run
    }

    /// Whether it is the checkout's, whose outcome is counted as that of a session.
    var isSession: Bool { run == nil }
}

/// The JSON object that a call takes.
struct BodyShape: Sendable {
    let properties: [Schema.Property]
    /// Whether the body may be left out, when no key is needed.
    var isRequired: Bool { properties.contains(where: \.isRequired) }

    init(_ properties: [Schema.Property]) {
        self.properties = properties
    }
}

/// An answer that a call can give when all goes well; what goes wrong is a problem document.
struct AnswerShape: Sendable {
    let status: Int
    let summary: String
    /// nil: no body.
    let content: (type: String, schema: Schema)?

    init(_ status: Int, _ summary: String, _ schema: Schema) {
        self.init(status, summary, type: "application/json", schema)
    }

    init(_ status: Int, _ summary: String, type: String, _ schema: Schema) {
        (self.status, self.summary, content) = (status, summary, (type, schema))
    }

    init(_ status: Int, _ summary: String) {
        (self.status, self.summary, content) = (status, summary, nil)
    }
}

/// A call under way.
///
/// A class, as ``HTTPRequest`` is one: it is handed on, and nobody changes it.
final class CallContext: Sendable {
    let call: Call
    let api: ServiceAPI
    let request: HTTPRequest
    let caller: Caller
    /// The named segments of the path, decoded.
    let names: [String: String]
    let query: CallQuery
    let body: CallBody

    /// Reads what `request` brings to `call`.
    ///
    /// - Throws: ``RequestError``.
    init(
        _ call: Call, of api: ServiceAPI, _ request: HTTPRequest, by caller: Caller,
        names: [String: String]
    ) throws(RequestError) {
        query = try CallQuery(of: request, as: call.takesAnyQuery ? nil : call.parameters)
        body = try CallBody(of: request, as: call.body)
        self.call = call
        self.api = api
        self.request = request
        self.caller = caller
        self.names = names
    }

    /// The merchant that the path names, which the caller's token must cover.
    ///
    /// - Throws: ``MerchantsError`` for its form, ``AccessError/merchantNotCovered(_:)``.
    func merchant() throws -> MerchantIdentifier {
        let merchant = try MerchantIdentifier(names["id"] ?? "")
        guard caller.covers(merchant) else { throw AccessError.merchantNotCovered(merchant) }
        return merchant
    }

    /// The credential that the path names; whose it is, is still to be looked at.
    func credential() throws(MerchantsError) -> CredentialIdentifier {
        try CredentialIdentifier(names["id"] ?? "")
    }
}

/// An answer with what the access log tells of it.
struct Answer: Sendable {
    var response: HTTPResponse
    var merchant: MerchantIdentifier?

    init(_ response: HTTPResponse) {
        self.response = response
    }
}
