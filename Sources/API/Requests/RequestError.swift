package import Problems

/// What is wrong with an HTTP request before it means anything.
package enum RequestError: Explained, Equatable {
    case notJSON
    case malformed(at: Int)
    case unknownKey(_ key: String)
    case duplicateKey(_ key: String)
    case missingKey(_ key: String)
    /// A value of another type than the key's; `expected` with its article, such as `a string`.
    case wrongType(_ key: String, expected: String)
    case badValue(_ key: String, expected: String)
    case tooDeep
    case noSuchResource
    case noAssociationFile
    case methodNotAllowed(_ allowed: String)
    case unknownParameter(_ name: String)
    case duplicateParameter(_ name: String)
    case badParameter(_ name: String, expected: String)
    case bodyNotTaken
    /// A private key stands in a request: keys come by the command line alone.
    case privateKeyInRequest

    package var code: String {
        switch self {
        case .notJSON: "request.not-json"
        case .malformed: "request.malformed-json"
        case .unknownKey: "request.unknown-key"
        case .duplicateKey: "request.duplicate-key"
        case .missingKey: "request.missing-key"
        case .wrongType: "request.wrong-type"
        case .badValue: "request.bad-value"
        case .tooDeep: "request.too-deep"
        case .noSuchResource: "request.no-such-resource"
        case .noAssociationFile: "request.no-association-file"
        case .methodNotAllowed: "request.method-not-allowed"
        case .unknownParameter: "request.unknown-parameter"
        case .duplicateParameter: "request.duplicate-parameter"
        case .badParameter: "request.bad-parameter"
        case .bodyNotTaken: "request.body-not-taken"
        case .privateKeyInRequest: "request.private-key"
        }
    }

    package var summary: String {
        switch self {
        case .notJSON: "the body is not declared as JSON"
        case .malformed(let index): "the body is not a JSON object, as seen at byte \(index)"
        case .unknownKey(let key): "there is no key \"\(shown(key))\" in this call"
        case .duplicateKey(let key): "the key \"\(shown(key))\" occurs twice"
        case .missingKey(let key): "the key \"\(shown(key))\" is missing"
        case .wrongType(let key, let expected), .badValue(let key, let expected):
            "the value of \"\(shown(key))\" is not \(expected)"
        case .tooDeep: "the body is nested too deeply"
        case .noSuchResource: "there is nothing at this path"
        case .noAssociationFile: "no association file is kept for the Host of this call"
        case .methodNotAllowed(let allowed):
            "this path takes \(allowed) only"
        case .unknownParameter(let name): "there is no parameter \"\(shown(name))\" in this call"
        case .duplicateParameter(let name): "the parameter \"\(shown(name))\" occurs twice"
        case .badParameter(let name, let expected):
            "the parameter \"\(shown(name))\" is not \(expected)"
        case .bodyNotTaken: "this call takes no body"
        case .privateKeyInRequest: "there is a private key in this request"
        }
    }

    package var remedy: String {
        switch self {
        case .notJSON: "send Content-Type: application/json"
        case .malformed: "send one JSON object in UTF-8, such as {\"domain\": \"shop.example.com\"}"
        case .unknownKey: "see /openapi.json for the call's keys"
        case .duplicateKey: "send each key once"
        case .missingKey(let key): "add \"\(shown(key))\""
        case .wrongType, .badValue: "see /openapi.json for the call's keys and their values"
        case .tooDeep: "see /openapi.json for what the call takes"
        case .noAssociationFile:
            "pass the Host on as it came; keep a file by purser domain add --association-file"
        case .noSuchResource: "check the path; /openapi.json lists them all"
        case .methodNotAllowed: "use one of those methods"
        case .unknownParameter, .badParameter: "see /openapi.json for what the call takes"
        case .duplicateParameter: "send each parameter once"
        case .bodyNotTaken: "send it without a body"
        case .privateKeyInRequest:
            "make another key; import one that is used by: purser certificate import"
        }
    }

    package var nature: Nature {
        switch self {
        case .notJSON, .malformed, .unknownKey, .duplicateKey, .missingKey, .wrongType,
            .badValue, .tooDeep, .methodNotAllowed, .unknownParameter, .duplicateParameter,
            .badParameter, .bodyNotTaken:
            .usage
        case .privateKeyInRequest: .badData
        case .noSuchResource, .noAssociationFile: .notFound
        }
    }

    package static var examples: [RequestError] {
        [
            .notJSON, .malformed(at: 17), .unknownKey("domian"), .duplicateKey("domain"),
            .missingKey("domain"), .wrongType("domain", expected: "a string"),
            .badValue("kind", expected: "one of its words"),
            .tooDeep, .noSuchResource, .noAssociationFile,
            .methodNotAllowed("POST"), .unknownParameter("page"), .duplicateParameter("limit"),
            .badParameter("limit", expected: "a number from 1 to 1000"), .bodyNotTaken,
            .privateKeyInRequest,
        ]
    }
}

/// A caller's key fit for a message.
private func shown(_ key: String) -> String {
    String(
        key.unicodeScalars.prefix(40).map {
            $0.value < 0x20 || $0.value == 0x7F || $0 == "\"" ? "?" : Character($0)
        })
}
