import Clocks
import WebServer

/// The JSON object that a call was sent, checked against what the call takes.
struct CallBody: Sendable {
    private let members: [JSONValue.Member]

    /// Reads the body of `request`; where the call needs none, an empty body is an empty object.
    ///
    /// - Throws: ``RequestError``.
    init(of request: HTTPRequest, as shape: BodyShape?) throws(RequestError) {
        guard let shape else {
            guard request.body.isEmpty else { throw .bodyNotTaken }
            members = []
            return
        }
        if request.body.isEmpty, !shape.isRequired {
            members = []
            return
        }
        let types = request.headers.values(of: "Content-Type")
        guard types.count == 1, Self.isJSON(types.first) else { throw .notJSON }
        members = try StrictJSON.object(in: request.body)
        try Schema.check(members, against: shape.properties)
    }

    /// The string under `key`; nil where it was left out.
    subscript(_ key: String) -> String? {
        guard case .string(let text) = value(key) else { return nil }
        return text
    }

    /// The string under a key that the shape requires.
    func required(_ key: String) throws(RequestError) -> String {
        guard let text = self[key] else { throw .missingKey(key) }
        return text
    }

    /// The moment under `key`, RFC 3339; nil where it was left out.
    ///
    /// - Throws: ``RequestError/badValue(_:expected:)``.
    func time(_ key: String) throws(RequestError) -> Timestamp? {
        guard let text = self[key] else { return nil }
        guard let time = Timestamp(rfc3339: text) else {
            throw .badValue(key, expected: "a time such as 2026-03-01T08:00:00Z")
        }
        return time
    }

    /// The strings of the array under `key`; nil where it was left out.
    func strings(_ key: String) -> [String]? {
        guard case .array(let values) = value(key) else { return nil }
        return values.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }

    /// Whether `key` is there and true.
    func isTrue(_ key: String) -> Bool { value(key) == .bool(true) }

    private func value(_ key: String) -> JSONValue? { members.first { $0.key == key }?.value }

    /// `application/json`, with UTF-8 as its only possible charset (RFC 8259 §8.1).
    static func isJSON(_ type: String?) -> Bool {
        guard let type else { return false }
        // What nearly every client sends.
        if type == "application/json" { return true }
        let parts = type.lowercased().split(separator: ";", omittingEmptySubsequences: false)
            .map { $0.trimmingBlanks }
        return parts.first == "application/json"
            && parts.dropFirst().allSatisfy { ["charset=utf-8", "charset=\"utf-8\""].contains($0) }
    }
}
