import FoundationEssentials
import Problems

/// What an HTTP answer of the gateway means (FACTS of "Requesting an Apple Pay payment session"
/// and what was seen: bodies `{"statusMessage":"…","statusCode":"417"}`, both strings).
enum GatewayAnswer {
    /// Passes a session on; anything else is told by culprit.
    ///
    /// A 200 is looked at just enough to know a session from a truncated or foreign page: its bytes
    /// are opaque and are never changed.
    ///
    /// - Throws: ``SessionError``.
    static func session(
        status: Int, body: [UInt8], hashes: MerchantHashes
    ) throws(SessionError) -> [UInt8] {
        switch status {
        case 200:
            guard !body.isEmpty else { throw .malformedAnswer("it is empty") }
            guard isObject(body) else { throw .malformedAnswer("it is not a JSON object") }
            return body
        case 300..<400: throw .redirected(status: status)
        case 401, 403: throw .certificateRefused(how: "HTTP \(status)")
        case 404: throw .pathUnknown
        case 429: throw .throttled
        case 500...: throw .appleFailed(status: status)
        case 400:
            let said = message(in: body, hashes: hashes)
            throw said.contains("not registered for domain")
                ? .domainRefused(said: said) : .requestRefused(said: said)
        case 417:
            let said = message(in: body, hashes: hashes)
            throw said.lowercased().contains("on behalf of")
                ? .merchantRefused(said: said) : .merchantIncomplete(said: said)
        default: throw .unexpectedStatus(status)
        }
    }

    /// Whether the first and the last byte that are no blanks are those of a JSON object.
    private static func isObject(_ body: [UInt8]) -> Bool {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || ($0 >= 0x09 && $0 <= 0x0D) }
        guard let first = body.first(where: { !isBlank($0) }),
            let last = body.last(where: { !isBlank($0) })
        else { return false }
        return first == UInt8(ascii: "{") && last == UInt8(ascii: "}")
    }

    /// Apple's own words in one short line, its hashes turned into merchant identifiers.
    private static func message(in body: [UInt8], hashes: MerchantHashes) -> String {
        struct Refusal: Decodable { var statusMessage: String? }
        let refusal = try? JSONDecoder().decode(Refusal.self, from: Data(body))
        guard let text = refusal?.statusMessage, !text.isEmpty else { return "it gave no reason" }
        let preface = "Payment Services Exception "
        let gist = text.hasPrefix(preface) ? String(text.dropFirst(preface.count)) : text
        // Counted in scalars: one character may hold any number of combining marks.
        let clean = gist.unicodeScalars.prefix(1_000).map { $0.isInvisible ? " " : String($0) }
        let translated = hashes.translated(clean.joined())
        return String(String.UnicodeScalarView(translated.unicodeScalars.prefix(200)))
    }
}
