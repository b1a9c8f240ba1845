internal import CCurl

/// What is known of a mail that libcurl gave up, and what that means.
///
/// The server's last reply says most; before it has said anything, the ways to fail are those of
/// any connection, and ``FailedTransfer`` knows them.
struct FailedMail: Sendable {
    var code: CURLcode
    /// The text in CURLOPT_ERRORBUFFER.
    var text: String
    var host: String
    var recipient: MailAddress
    /// The code of the server's last reply; 0 before its greeting.
    var reply: Int
    /// Whether libcurl had taken the whole message to send it.
    var isSent: Bool
    /// Whether TCP had connected.
    var hasSocket: Bool
    var systemError: Int32
    var isCancelled: Bool

    /// The error to report.
    var meaning: MailError {
        if isCancelled { return .cancelled }
        switch code {
        case CURLE_USE_SSL_FAILED: return .withoutTLS(host: host)
        case CURLE_LOGIN_DENIED:
            return isRefusal
                ? .loginRefused(host: host, code: reply) : .loginImpossible(host: host)
        case CURLE_REMOTE_ACCESS_DENIED: return .greetingRefused(host: host, code: reply)
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_WEIRD_SERVER_REPLY,
            CURLE_OPERATION_TIMEDOUT, CURLE_ABORTED_BY_CALLBACK:
            break
        default: return onTheWay
        }
        if isRefusal {
            // lib/smtp.c words a refused greeting so, and no other refusal.
            if text.hasPrefix("Got unexpected smtp-server response") {
                return .greetingRefused(host: host, code: reply)
            }
            return reply / 100 == 4
                ? .deferred(recipient: recipient, code: reply)
                : .rejected(recipient: recipient, code: reply)
        }
        if isSent { return .unanswered(host: host) }
        if code == CURLE_OPERATION_TIMEDOUT {
            return hasSocket && reply != 0 ? .unreachable(.answerTimedOut(host: host)) : onTheWay
        }
        if code == CURLE_WEIRD_SERVER_REPLY { return .greetingRefused(host: host, code: reply) }
        // TLS alerts and broken handshakes are told as what reading or writing met.
        if OpenSSLErrorText(in: text) != nil { return onTheWay }
        return .unreachable(.closedBeforeAnswer(connectionReused: false))
    }

    private var isRefusal: Bool { (400...599).contains(reply) }

    private var onTheWay: MailError {
        .unreachable(
            FailedTransfer(
                code: code, text: text, host: host, systemError: systemError,
                stage: hasSocket ? .handshake : .connecting
            ).meaning)
    }
}
