package import Problems

/// Why a mail was not taken by the server, for all we know.
///
/// Whether trying again can help is told by ``isTemporary``; that it may have been taken although we
/// did not hear so, by ``mayHaveBeenTaken``.
package enum MailError: Explained, Equatable {
    // This process
    case addressRefused
    case serverRefused(_ what: String)
    case messageRefused(_ what: String)
    case loginUnusable
    /// Nobody waits for it any more; it may have been taken.
    case cancelled
    // The way there
    case unreachable(TransferError)
    case withoutTLS(host: String)
    // What the server says
    case greetingRefused(host: String, code: Int)
    case loginRefused(host: String, code: Int)
    case loginImpossible(host: String)
    /// 4xx: the server may take it later.
    case deferred(recipient: MailAddress, code: Int)
    /// 5xx: the server will not take it.
    case rejected(recipient: MailAddress, code: Int)
    /// The connection ended, or time was up, before the server's word on it.
    case unanswered(host: String)
}

extension MailError {
    /// Whether the other mails of a run would meet the same.
    package var concernsServer: Bool {
        switch self {
        case .addressRefused, .messageRefused, .deferred, .rejected, .unanswered: false
        case .serverRefused, .loginUnusable, .cancelled, .unreachable, .withoutTLS,
            .greetingRefused, .loginRefused, .loginImpossible:
            true
        }
    }

    /// Whether it may be on its way all the same: a second try may arrive as a second mail.
    package var mayHaveBeenTaken: Bool {
        switch self {
        case .unanswered, .cancelled: true
        default: false
        }
    }

    /// Whether it may be taken later without anybody's doing.
    package var isTemporary: Bool {
        switch self {
        case .addressRefused, .serverRefused, .messageRefused, .loginUnusable, .withoutTLS,
            .loginImpossible, .rejected:
            false
        case .greetingRefused(_, let code), .loginRefused(_, let code): code / 100 != 5
        case .cancelled, .unreachable, .deferred, .unanswered: true
        }
    }

    package var code: String {
        switch self {
        case .addressRefused: "mail.address-refused"
        case .serverRefused: "mail.server-refused"
        case .messageRefused: "mail.message-refused"
        case .loginUnusable: "mail.login-unusable"
        case .cancelled: "mail.cancelled"
        case .unreachable: "mail.unreachable"
        case .withoutTLS: "mail.without-tls"
        case .greetingRefused: "mail.greeting-refused"
        case .loginRefused: "mail.login-refused"
        case .loginImpossible: "mail.login-impossible"
        case .deferred: "mail.deferred"
        case .rejected: "mail.rejected"
        case .unanswered: "mail.unanswered"
        }
    }

    package var summary: String {
        switch self {
        case .addressRefused: "this is no mail address"
        case .serverRefused(let what): "this mail server is not used: \(what)"
        case .messageRefused(let what): "this mail is not sent: \(what)"
        case .loginUnusable: "the mail server's user name or password has a NUL or a line end"
        case .cancelled: "the mail was given up"
        case .unreachable(let reason): "no mail: \(reason.summary)"
        case .withoutTLS(let host): "the mail server \(host) offers no TLS"
        case .greetingRefused(let host, let code): "the mail server \(host) turns us away (\(code))"
        case .loginRefused(let host, let code):
            "the mail server \(host) refuses the user or the password (\(code))"
        case .loginImpossible(let host):
            "the mail server \(host) offers no way to log in that is known here"
        case .deferred(let recipient, let code):
            "the mail server does not take mail to \(Self.short(recipient)) for now (\(code))"
        case .rejected(let recipient, let code):
            "the mail server refuses mail to \(Self.short(recipient)) (\(code))"
        case .unanswered(let host): "the mail server \(host) did not say that it took the mail"
        }
    }

    package var remedy: String {
        switch self {
        case .addressRefused: "give an address such as shop@example.com"
        case .serverRefused: "give alerts.mail.server as smtps://HOST or smtp://HOST"
        case .messageRefused: "report this: the program made a wrong message"
        case .loginUnusable: "write the password alone into the file, on one line"
        case .cancelled: "run it again"
        case .unreachable(let reason): reason.remedy
        case .withoutTLS: "use smtps:// and its port, or ask who runs the server for STARTTLS"
        case .greetingRefused: "ask who runs the mail server whether this machine may send"
        case .loginRefused: "check alerts.mail.user and the file of alerts.mail.passwordFile"
        case .loginImpossible: "ask who runs the mail server for AUTH PLAIN or LOGIN"
        case .deferred: "nothing: it is tried again; if it persists, ask who runs the mail server"
        case .rejected: "check the address, and that alerts.mail.from may send to it"
        case .unanswered: "nothing: it is tried again; if it persists, ask who runs the mail server"
        }
    }

    package var nature: Nature {
        switch self {
        case .addressRefused: .badData
        case .serverRefused, .loginUnusable, .withoutTLS, .loginImpossible: .configuration
        case .messageRefused: .internalFault
        case .cancelled: .unavailable
        case .unreachable(let reason): reason.nature
        case .greetingRefused, .loginRefused, .deferred, .rejected: .refused
        case .unanswered: .timedOut
        }
    }

    package var cause: (any Error)? {
        if case .unreachable(let reason) = self { reason } else { nil }
    }

    /// A summary has 120 columns, and an address may have 254.
    private static func short(_ address: MailAddress) -> String {
        address.text.count <= 54 ? address.text : "\(address.text.prefix(53))…"
    }

    package static var examples: [MailError] {
        guard let shop = try? MailAddress("shop@example.com") else { return [] }
        return [
            .addressRefused, .serverRefused("its URL does not start with smtps:// or smtp://"),
            .messageRefused("a line does not end in CR LF"), .loginUnusable, .cancelled,
            .unreachable(.connectionRefused(host: "mail.example:465")),
            .withoutTLS(host: "mail.example:587"),
            .greetingRefused(host: "mail.example:587", code: 554),
            .loginRefused(host: "mail.example:587", code: 535),
            .loginImpossible(host: "mail.example:587"), .deferred(recipient: shop, code: 451),
            .rejected(recipient: shop, code: 550), .unanswered(host: "mail.example:587"),
        ]
    }
}
