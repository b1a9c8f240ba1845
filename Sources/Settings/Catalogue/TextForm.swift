internal import Merchants

/// What a setting in words must look like.
enum TextForm: Sendable {
    /// Anything on one line.
    case line
    case mailAddress
    /// An address with one of these beginnings, without a user name in it.
    case url([String])

    func accepts(_ text: String) -> Bool {
        guard !text.isEmpty, text.utf8.count <= 2_048,
            text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { return false }
        switch self {
        case .line: return true
        case .mailAddress: return (try? checkMailAddress(text)) != nil
        case .url(let beginnings):
            guard let beginning = beginnings.first(where: { text.hasPrefix($0) }),
                text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
            else { return false }
            let host = text.dropFirst(beginning.count).prefix { !"/?#".contains($0) }
            return !host.isEmpty && !host.contains("@")
        }
    }

    /// For a message: "must be …".
    var expectation: String {
        switch self {
        case .line: "a text on one line"
        case .mailAddress: "a mail address such as shop@example.com"
        case .url(let beginnings):
            "an address that begins with \(beginnings.joined(separator: " or ")), without a user"
        }
    }

    /// For the documentation.
    var example: String {
        switch self {
        case .line: "purser"
        case .mailAddress: "purser@example.com"
        case .url(let beginnings): "\(beginnings.first ?? "")host.example.com"
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
