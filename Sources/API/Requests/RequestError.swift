package import Problems

/// What is wrong with an HTTP request before it means anything.
package enum RequestError: Explained, Equatable {
    case notJSON
    case malformed(at: Int)
    case unknownKey(_ key: String)
    case duplicateKey(_ key: String)
    case missingKey(_ key: String)
    case notAString(_ key: String)
    case noSuchResource
    case methodNotAllowed(_ allowed: String)
    case notLoopback
    /// The Host is no loopback name.
    case foreignHost
    /// HTTP/1.0, which is how a proxy with its defaults shows itself (``LocalCaller``).
    case oldVersion

    package var code: String {
        switch self {
        case .notJSON: "request.not-json"
        case .malformed: "request.malformed-json"
        case .unknownKey: "request.unknown-key"
        case .duplicateKey: "request.duplicate-key"
        case .missingKey: "request.missing-key"
        case .notAString: "request.not-a-string"
        case .noSuchResource: "request.no-such-resource"
        case .methodNotAllowed: "request.method-not-allowed"
        case .notLoopback: "request.not-loopback"
        case .foreignHost: "request.foreign-host"
        case .oldVersion: "request.old-version"
        }
    }

    package var summary: String {
        switch self {
        case .notJSON: "the body is not declared as JSON"
        case .malformed(let index): "the body is not a JSON object of strings, at byte \(index)"
        case .unknownKey(let key): "there is no key \"\(shown(key))\" in this call"
        case .duplicateKey(let key): "the key \"\(shown(key))\" occurs twice"
        case .missingKey(let key): "the key \"\(shown(key))\" is missing"
        case .notAString(let key): "the value of \"\(shown(key))\" is not a string"
        case .noSuchResource: "there is nothing at this path"
        case .methodNotAllowed(let allowed):
            "this path takes \(allowed) only"
        case .notLoopback: "this call was not made from this machine itself"
        case .foreignHost: "the Host of this call is no name of this machine's loopback"
        case .oldVersion: "this call came by HTTP/1.0, as a proxy sends it that hides the caller"
        }
    }

    package var remedy: String {
        switch self {
        case .notJSON: "send Content-Type: application/json"
        case .malformed: "send an object such as {\"domain\": \"shop.example.com\"}"
        case .unknownKey: "use domain, merchant, environment and validationURL only"
        case .duplicateKey: "send each key once"
        case .missingKey(let key): "add \"\(shown(key))\""
        case .notAString: "send it as a string in double quotes"
        case .noSuchResource: "check the path; sessions are asked for at POST /v1/merchant-sessions"
        case .methodNotAllowed: "use one of those methods"
        case .notLoopback:
            "call it from this machine itself, with no proxy in between"
        case .foreignHost: "send the Host localhost or 127.0.0.1, by a Unix socket too"
        case .oldVersion: "send it by HTTP/1.1 from this machine itself, with no proxy in between"
        }
    }

    package var nature: Nature {
        switch self {
        case .notJSON, .malformed, .unknownKey, .duplicateKey, .missingKey, .notAString,
            .methodNotAllowed:
            .usage
        case .noSuchResource: .notFound
        case .notLoopback, .foreignHost, .oldVersion: .denied
        }
    }

    package static var examples: [RequestError] {
        [
            .notJSON, .malformed(at: 17), .unknownKey("domian"), .duplicateKey("domain"),
            .missingKey("domain"), .notAString("domain"), .noSuchResource,
            .methodNotAllowed("POST"), .notLoopback, .foreignHost, .oldVersion,
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
