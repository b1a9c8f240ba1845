/// Which handler answers a method and a path.
///
/// Patterns are paths whose segments are literal or `{name}`, such as `/v1/merchants/{id}`; a literal
/// segment is preferred to a named one. Paths are matched as sent, segment by segment: `/a/` is not
/// `/a`, and dots mean nothing. A look-up costs one dictionary access, or one a segment where there
/// are names.
package struct Router<Handler: Sendable>: Sendable {
    /// What a look-up found.
    package enum Match: Sendable {
        /// The handler, with the named segments percent-decoded. HEAD finds the handler of GET.
        case found(Handler, parameters: [String: String])
        /// The path is known but not with this method; `allowing` belongs into `Allow`.
        case methodNotAllowed(allowing: String)
        case notFound
    }

    private struct Node {
        var literals: [Substring: Int] = [:]
        var named: (name: String, node: Int)?
        var handlers: [String: Handler] = [:]
    }

    private var nodes = [Node()]
    /// The nodes of patterns without a named segment, which most requests are for, by the pattern.
    private var literalPaths: [String: Int] = [:]

    /// No routes.
    package init() {}

    /// Adds a route; adding one twice is a mistake in the program.
    package mutating func add(_ method: String, _ pattern: String, _ handler: Handler) {
        var at = 0
        for segment in Self.segments(of: pattern) {
            at = node(under: at, for: segment)
        }
        precondition(nodes[at].handlers[method] == nil, "\(method) \(pattern) is routed twice")
        nodes[at].handlers[method] = handler
        if !pattern.contains("{") { literalPaths[pattern] = at }
    }

    /// Finds the handler for a request's method and undecoded path.
    package func match(_ method: String, _ path: String) -> Match {
        var parameters: [String: String] = [:]
        guard path.utf8.first == UInt8(ascii: "/"),
            let handlers = literalPaths[path].map({ nodes[$0].handlers })
                ?? handlers(under: 0, Self.segments(of: path)[...], &parameters)
        else { return .notFound }
        if let handler = handlers[method] ?? (method == "HEAD" ? handlers["GET"] : nil) {
            return .found(handler, parameters: parameters)
        }
        var known = Set(handlers.keys)
        if known.contains("GET") { known.insert("HEAD") }
        return .methodNotAllowed(allowing: known.sorted().joined(separator: ", "))
    }

    private mutating func node(under parent: Int, for segment: Substring) -> Int {
        let next = nodes.count
        if segment.hasPrefix("{"), segment.hasSuffix("}") {
            let name = String(segment.dropFirst().dropLast())
            if let named = nodes[parent].named {
                precondition(named.name == name, "\(named.name) and \(name) name one segment")
                return named.node
            }
            nodes[parent].named = (name, next)
        } else {
            if let known = nodes[parent].literals[segment] { return known }
            nodes[parent].literals[segment] = next
        }
        nodes.append(Node())
        return next
    }

    private func handlers(
        under node: Int, _ segments: ArraySlice<Substring>, _ parameters: inout [String: String]
    ) -> [String: Handler]? {
        guard let segment = segments.first else {
            return nodes[node].handlers.isEmpty ? nil : nodes[node].handlers
        }
        let rest = segments.dropFirst()
        if let next = nodes[node].literals[segment],
            let found = handlers(under: next, rest, &parameters)
        {
            return found
        }
        guard let (name, next) = nodes[node].named, !segment.isEmpty,
            let value = PercentEncoding.decode(segment),
            let found = handlers(under: next, rest, &parameters)
        else { return nil }
        parameters[name] = value
        return found
    }

    private static func segments(of path: String) -> [Substring] {
        // By bytes: a slash is never a part of another character here, and this is for each request.
        path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map(Substring.init)
    }
}
