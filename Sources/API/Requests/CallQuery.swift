import Clocks
import WebServer

/// The parameters behind a call's `?`, checked against those that the call takes.
struct CallQuery: Sendable {
    private let values: [String: String]

    /// Reads the query of `request`: `name=value` with `&` between them, percent-encoded.
    ///
    /// With nil it is passed over, whatever it is.
    ///
    /// - Throws: ``RequestError`` for an unknown, repeated or wrong parameter.
    init(of request: HTTPRequest, as parameters: [QueryParameter]?) throws(RequestError) {
        guard let parameters, let query = request.query else {
            values = [:]
            return
        }
        var values: [String: String] = [:]
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            // Forms write a blank as a plus; an RFC 3339 offset must be percent-encoded then.
            let decode: (Substring) -> String? = {
                PercentEncoding.decode($0.replacing("+", with: "%20"))
            }
            guard let name = decode(parts[0]) else {
                throw .badParameter(String(parts[0]), expected: "percent-encoded UTF-8")
            }
            guard let parameter = parameters.first(where: { $0.name == name }) else {
                throw .unknownParameter(name)
            }
            guard parts.count == 2, let value = decode(parts[1]) else {
                throw .badParameter(name, expected: "percent-encoded UTF-8")
            }
            guard values[name] == nil else { throw .duplicateParameter(name) }
            try parameter.check(value)
            values[name] = value
        }
        self.values = values
    }

    subscript(_ name: String) -> String? { values[name] }

    /// The query once more, by name and encoded afresh, so that nothing a caller wrote can end the
    /// place that it is put into; `name` has another value in it.
    func text(replacing name: String, by value: String) -> String {
        var values = values
        values[name] = value
        return values.sorted { $0.key < $1.key }.map { key, value in
            "\(key)=\(PercentEncoding.encode(value))"
        }.joined(separator: "&")
    }

    /// The number of a parameter whose schema is an integer.
    func integer(_ name: String) -> Int64? { values[name].flatMap { Int64($0) } }

    /// The moment of a parameter, RFC 3339.
    ///
    /// - Throws: ``RequestError/badParameter(_:expected:)``.
    func time(_ name: String) throws(RequestError) -> Timestamp? {
        guard let text = values[name] else { return nil }
        guard let time = Timestamp(rfc3339: text) else {
            throw .badParameter(name, expected: "a time such as 2026-03-01T08:00:00Z")
        }
        return time
    }
}

/// A parameter that a call takes behind the `?`.
struct QueryParameter: Sendable {
    let name: String
    let schema: Schema
    let summary: String

    init(_ name: String, _ schema: Schema, _ summary: String) {
        (self.name, self.schema, self.summary) = (name, schema, summary)
    }

    fileprivate func check(_ text: String) throws(RequestError) {
        do throws(RequestError) {
            if case .integer(let range) = schema {
                guard let number = Int64(text), String(number) == text else {
                    throw .badValue(
                        name,
                        expected: range.map {
                            "a number from \($0.lowerBound) to \($0.upperBound)"
                        } ?? "a whole number")
                }
                return try schema.check(.integer(number), under: name)
            }
            try schema.check(.string(text), under: name)
        } catch {
            guard case .badValue(_, let expected) = error else { throw error }
            throw .badParameter(name, expected: expected)
        }
    }
}
