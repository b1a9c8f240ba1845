import Clocks
import Database
import Documents
import Issuance
import Merchants
import Networks
import Secrets

/// `purser api-token create`.
enum APITokenCreateCommand {
    static let role = Option(
        "role", "ROLE", "what it may be used for", kind: .values(Role.allCases.map(\.rawValue)),
        isRequired: true, isRepeated: true)
    static let merchant = Option(
        "merchant", "ID", "a merchant that alone it may be used for (default: any)",
        kind: .merchant, isRepeated: true)
    static let network = Option(
        "network", "CIDR", "a network that alone it may come from, such as 10.0.0.0/8",
        isRepeated: true)
    static let expires = Option(
        "expires", "DATE", "from when on it is refused: a time, or the end of a day")
    static let note = Option("note", "TEXT", "what it is for, for staff")

    static let verb = Verb(
        "api-token", "create", summary: "make a token for the HTTP API and print it once",
        discussion: [
            "A checkout asks for sessions; an operator registers merchants and domains and handles "
                + "certificates; an auditor reads; payments opens payment tokens. No role includes another: "
                + "give --role more than once where one caller needs several.",
            "The token is printed now and never again: the home keeps its SHA-256. Send it as "
                + "Authorization: Bearer TOKEN. A date without a time is the whole of that day, in UTC. "
                + "Behind a reverse proxy --network means the caller's address, which "
                + "serve.trustedProxies must let the proxy tell.",
        ],
        options: [role, merchant, network, expires, note],
        examples: [
            Example(
                "purser api-token create --role checkout --merchant merchant.com.example.shop",
                "a token with which one shop's checkout asks for sessions"),
            Example(
                "purser api-token create --role auditor --network 10.0.0.0/8 --expires 2027-03-31",
                "a token for monitoring from one network, for a time"),
        ],
        needs: .home, isAct: true, run: run)

    static func run(_ invocation: Invocation) async throws {
        var wish = TokenWish(roles: Set(invocation.all(role).compactMap(Role.init(rawValue:))))
        wish.merchants = Set(try invocation.all(merchant).map { try MerchantIdentifier($0) })
        wish.networks = try Set(invocation.all(network).map(range)).sorted()
        wish.expiresAt = try invocation.time(expires)
        if invocation.isDate(expires) {
            // Of the last day that can be written, the last second.
            let last = Timestamp(rfc3339: "9999-12-31T23:59:59Z")
            wish.expiresAt = [wish.expiresAt?.adding(days: 1), last].compactMap(\.self).min()
        }
        wish.note = try invocation[note].map(checkNote)
        let home = try await invocation.openHome(.readWrite)
        let made = try await home.createToken(wish)
        if invocation.global.json {
            try invocation.print(NewTokenReport(made, at: home.clock.now))
        } else {
            // Standard output is the token alone.
            invocation.context.tell(
                "note", "this is API token \(made.record.id); it is not shown again")
            var bytes = made.text.withUnsafeBytes { Array($0) } + [UInt8(ascii: "\n")]
            defer { wipe(&bytes) }
            try invocation.write(bytes)
        }
    }

    private static func range(_ text: String) throws(MerchantsError) -> NetworkRange {
        do throws(NetworkRange.Malformed) {
            return try NetworkRange(text)
        } catch {
            throw .badNetwork(error.what, use: error.use)
        }
    }

    /// A note stands in lists and in the ledger: visible characters, 200 at most.
    private static func checkNote(_ text: String) throws(CommandLineError) -> String {
        let isFine =
            (1...200).contains(text.unicodeScalars.count)
            && !text.unicodeScalars.contains(where: TerminalText.isUnsafe)
            && !text.allSatisfy(\.isWhitespace)
        guard isFine else { throw .badNote(note.spelling) }
        return text
    }
}

/// A new token's record with the token, as JSON.
private struct NewTokenReport: Report {
    let document: TokenDocument
    let token: SecretBytes

    private enum Keys: String, CodingKey { case token }

    init(_ made: NewToken, at now: Timestamp) {
        document = TokenDocument(made.record, at: now)
        token = made.text
    }

    func encode(to encoder: any Encoder) throws {
        try document.encode(to: encoder)
        var more = encoder.container(keyedBy: Keys.self)
        try more.encode(
            token.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }, forKey: .token)
    }

    func text(width: Int) -> String { document.text(width: width) }
}
