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

    private var tree = RouteTree()
    private var handlers: [Handler] = []

    /// No routes.
    package init() {}

    /// Adds a route; adding one twice is a mistake in the program.
    package mutating func add(_ method: String, _ pattern: String, _ handler: Handler) {
        tree.add(method, pattern, number: handlers.count)
        handlers.append(handler)
    }

    /// Finds the handler for a request's method and undecoded path.
    package func match(_ method: String, _ path: String) -> Match {
        switch tree.match(method, path) {
        case .found(let number, let parameters):
            .found(handlers[number], parameters: parameters)
        case .methodNotAllowed(let allowing): .methodNotAllowed(allowing: allowing)
        case .notFound: .notFound
        }
    }
}

/// A router whose handlers are numbers.
///
/// Apart, because code for any kind of handler asks the kind how each copy is made, and a look-up
/// makes many.
private struct RouteTree: Sendable {
    enum Match {
        case found(Int, parameters: [String: String])
        case methodNotAllowed(allowing: String)
        case notFound
    }

    private struct Node {
        var literals: [Substring: Int] = [:]
        var named: (name: String, node: Int)?
        /// Few, so that looking through them costs less than to hash a method.
        var handlers: [(method: String, number: Int)] = []
    }

    private var nodes = [Node()]
    /// The nodes of patterns without a named segment, which most requests are for, by the pattern.
    private var literalPaths: [String: Int] = [:]

    mutating func add(_ method: String, _ pattern: String, number: Int) {
        var at = 0
        for segment in Self.segments(of: pattern) {
            at = node(under: at, for: segment)
        }
        precondition(
            handler(of: method, at: at) == nil, "\(method) \(pattern) is routed twice")
        nodes[at].handlers.append((method, number))
        if !pattern.contains("{") { literalPaths[pattern] = at }
    }

    func match(_ method: String, _ path: String) -> Match {
        var parameters: [String: String] = [:]
        guard path.utf8.first == UInt8(ascii: "/"),
            let node = literalPaths[path]
                ?? node(under: 0, Self.segments(of: path)[...], &parameters)
        else { return .notFound }
        let sought = method == "HEAD" ? "GET" : method
        if let number = handler(of: method, at: node) ?? handler(of: sought, at: node) {
            return .found(number, parameters: parameters)
        }
        var known = Set(nodes[node].handlers.map(\.method))
        if known.contains("GET") { known.insert("HEAD") }
        return .methodNotAllowed(allowing: known.sorted().joined(separator: ", "))
    }

    private func handler(of method: String, at node: Int) -> Int? {
        for index in nodes[node].handlers.indices
        where nodes[node].handlers[index].method == method {
            return nodes[node].handlers[index].number
        }
        return nil
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

    private func node(
        under node: Int, _ segments: ArraySlice<Substring>, _ parameters: inout [String: String]
    ) -> Int? {
        guard let segment = segments.first else {
            return nodes[node].handlers.isEmpty ? nil : node
        }
        let rest = segments.dropFirst()
        if let next = nodes[node].literals[segment],
            let found = self.node(under: next, rest, &parameters)
        {
            return found
        }
        guard let (name, next) = nodes[node].named, !segment.isEmpty,
            let value = PercentEncoding.decode(segment),
            let found = self.node(under: next, rest, &parameters)
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
