internal import Merchants
internal import Networks

/// What a setting in words must look like.
enum TextForm: Sendable {
    /// Anything on one line.
    case line
    case mailAddress
    /// An address with one of these beginnings, without a user name in it.
    case url([String])
    /// `https://`, or `http://` on this machine's loopback.
    case webAddress
    /// A range of addresses (CIDR), or `unix` for the Unix socket.
    case proxy
    /// A user of this machine: a name or a uid.
    case user

    func accepts(_ text: String) -> Bool {
        guard !text.isEmpty, text.utf8.count <= 2_048,
            text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { return false }
        switch self {
        case .line: return true
        case .mailAddress: return (try? checkMailAddress(text)) != nil
        case .proxy: return text == "unix" || (try? NetworkRange(text)) != nil
        case .user:
            return text.utf8.count <= 32
                && text.utf8.allSatisfy {
                    (0x30...0x39).contains($0) || (0x61...0x7A).contains($0)
                        || (0x41...0x5A).contains($0)
                        || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
                        || $0 == UInt8(ascii: ".")
                }
        case .url(let beginnings): return Self.authority(in: text, after: beginnings) != nil
        case .webAddress:
            if Self.authority(in: text, after: ["https://"]) != nil { return true }
            return Self.authority(in: text, after: ["http://"]).map(Self.isLoopback) ?? false
        }
    }

    /// The host and the port of an address without a user in it.
    private static func authority(in text: String, after beginnings: [String]) -> Substring? {
        guard let beginning = beginnings.first(where: { text.hasPrefix($0) }),
            // A backslash is a slash to some readers of URLs, and none to others.
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") })
        else { return nil }
        let host = text.dropFirst(beginning.count).prefix { !"/?#".contains($0) }
        return host.isEmpty || host.contains("@") ? nil : host
    }

    // As for mail: libcurl itself takes `localhost` for loopback and asks nobody (RFC 6761 §6.3).
    private static func isLoopback(_ authority: Substring) -> Bool {
        let isIPv6 = authority.hasPrefix("[::1]")
        let host = isIPv6 ? authority.prefix(5) : authority.prefix { $0 != ":" }
        let port = authority.dropFirst(host.count)
        guard port.isEmpty || (port.first == ":" && UInt16(port.dropFirst()) != nil) else {
            return false
        }
        if isIPv6 || host == "localhost" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
    }

    /// For a message: "must be …".
    var expectation: String {
        switch self {
        case .line: "a text on one line"
        case .mailAddress: "a mail address such as shop@example.com"
        case .url(let beginnings):
            "an address that begins with \(beginnings.joined(separator: " or ")), without a user"
        case .webAddress:
            "an address that begins with https://, or http:// on this machine, without a user"
        case .proxy: "a range of addresses such as 10.0.0.0/8, or unix"
        case .user: "a user's name or uid"
        }
    }

    /// For the documentation.
    var example: String {
        switch self {
        case .line: "purser"
        case .mailAddress: "purser@example.com"
        case .url(let beginnings): "\(beginnings.first ?? "")host.example.com"
        case .webAddress: "https://host.example.com"
        case .proxy: "127.0.0.1/32"
        case .user: "www-data"
        }
    }
}

extension Setting {
    static func text(
        _ key: String, _ place: any WritableKeyPath<Settings, String?> & Sendable,
        _ form: TextForm, _ summary: String
    ) -> Setting {
        Setting(
            key: key, flag: nil, rule: .text(form), summary: summary,
            read: { $0[keyPath: place].map { .text($0) } ?? .none },
            write: { settings, value in
                if case .text(let text) = value { settings[keyPath: place] = text }
            })
    }

    static func texts(
        _ key: String, _ place: any WritableKeyPath<Settings, [String]> & Sendable,
        _ form: TextForm, _ summary: String
    ) -> Setting {
        Setting(
            key: key, flag: nil, rule: .texts(form), summary: summary,
            read: { .list($0[keyPath: place]) },
            write: { settings, value in
                if case .list(let texts) = value { settings[keyPath: place] = texts }
            })
    }
}
