package import Secrets

/// Where mail is handed in for sending (submission, RFC 6409 and RFC 8314), and as whom.
package struct MailServer: Sendable {
    /// How the way there is protected.
    package enum Encryption: Sendable, Equatable {
        /// TLS from the first byte (`smtps://`).
        case implicit
        /// STARTTLS (`smtp://`), without which nothing is sent: no mail, no name, no password.
        case startTLS
        /// None; only to this machine.
        case none
    }

    /// A user's name and password at the server.
    package struct Login: Sendable {
        package let user: String
        package let password: SecretBytes

        /// Takes any bytes; a NUL in either is refused when mail is sent.
        package init(user: String, password: SecretBytes) {
            self.user = user
            self.password = password
        }
    }

    package let encryption: Encryption
    /// A host name or an address; an IPv6 one in brackets.
    package let host: String
    package let port: Int
    package var login: Login?
    package var trust = ServerTrust.systemBundle
    /// For the name look-up, TCP and TLS.
    package var connectTimeout: Duration = .seconds(10)
    /// For one message, from connecting to the server's word that it has taken it.
    package var totalTimeout: Duration = .seconds(60)
    var systemTrust = SystemTrust.ofThisMachine

    /// Reads `smtps://HOST[:PORT]` or `smtp://HOST[:PORT]`; ports 465 and 587 where none is given.
    ///
    /// With `isPlain` an `smtp://` server on a loopback address is spoken to without TLS.
    ///
    /// - Throws: ``MailError/serverRefused(_:)`` for anything else, such as a user name in it.
    package init(_ url: String, isPlain: Bool = false) throws(MailError) {
        let parts = url.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == "smtp" || parts[0] == "smtps" else {
            throw .serverRefused("its URL does not start with smtps:// or smtp://")
        }
        var rest = parts[1]
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        guard !rest.contains("@") else { throw .serverRefused("its URL has a user name in it") }
        let isIPv6 = rest.hasPrefix("[")
        let end =
            isIPv6
            ? rest.firstIndex(of: "]").map { rest.index(after: $0) } ?? rest.endIndex
            : rest.firstIndex(of: ":") ?? rest.endIndex
        let host = rest[..<end]
        guard isIPv6 ? Self.isBracketed(host) : MailAddress.isHostName(host.utf8) else {
            throw .serverRefused("its URL has no host, or more than a host and a port")
        }
        self.host = String(host)
        if end == rest.endIndex {
            port = parts[0] == "smtps" ? 465 : 587
        } else {
            let digits = rest[end...].dropFirst()
            guard rest[end] == ":", digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let port = Int(digits), (1...65_535).contains(port)
            else { throw .serverRefused("its port is no number from 1 to 65535") }
            self.port = port
        }
        switch (parts[0] == "smtps", isPlain) {
        case (true, false): encryption = .implicit
        case (false, false): encryption = .startTLS
        case (true, true): throw .serverRefused("smtps:// is never without TLS")
        case (false, true):
            guard Self.isLoopback(self.host) else {
                throw .serverRefused("only a mail server on this machine is spoken to without TLS")
            }
            encryption = .none
        }
    }

    /// The host and the port: what errors name.
    var authority: String { "\(host):\(port)" }

    private static func isBracketed(_ host: Substring) -> Bool {
        host.count > 3 && host.hasSuffix("]")
            && host.dropFirst().dropLast().utf8.allSatisfy { byte in
                byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
                    || UnicodeScalar(byte).properties.isASCIIHexDigit
            }
    }

    // libcurl itself takes `localhost` for loopback and asks nobody (RFC 6761 §6.3).
    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "[::1]" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
    }
}
