import Clocks
import FoundationEssentials
package import Merchants
import PKI
package import Secrets
package import Transfers

/// Alerts by POST to an address: one JSON object each, signed where there is a secret.
///
/// `text` says all in one line, for receivers of Slack's sort. `Purser-Signature: t=T,v1=H` carries
/// the time T in seconds and the hex HMAC-SHA256 H over `T.` and the body. Any 2xx is taken for the
/// receiver's word; redirections are not followed.
package struct WebhookChannel: AlertChannel {
    package let sort = "webhook"
    package let batch = 1

    private let pool: ConnectionPool
    private let url: String
    private let secret: SecretBytes?

    package init(url: String, secret: SecretBytes?, pool: ConnectionPool) {
        self.url = url
        self.secret = secret
        self.pool = pool
    }

    package func receivers(of alert: Alert, owners: [String]) -> [String] { Self.receivers }

    static let receivers = ["webhook"]

    package func tell(_ tidings: [Tiding], to receiver: String) async throws(Untold) {
        for tiding in tidings {
            let body = WebhookBody(tiding).json
            var headers = [HeaderField("Content-Type", "application/json")]
            if let secret {
                headers.append(
                    HeaderField(
                        "Purser-Signature",
                        Self.signature(of: body, at: tiding.at, secret: secret)))
            }
            try await post(body, headers)
        }
    }

    /// What the header says, such as `t=1800000000,v1=…`.
    static func signature(of body: [UInt8], at now: Timestamp, secret: SecretBytes) -> String {
        let signed = Array("\(now.seconds).".utf8) + body
        let code = HMACSHA256.authenticate(signed, key: secret)
        return "t=\(now.seconds),v1=\(Hexadecimal.lowercase(code))"
    }

    private func post(_ body: [UInt8], _ headers: [HeaderField]) async throws(Untold) {
        let status: Int
        do throws(TransferError) {
            var request = TransferRequest(.post, url, headers: headers, body: body)
            request.statusSuffices = true
            status = try await pool.send(request).status
        } catch {
            throw Untold(
                WatchError.webhookUnreachable(error), concernsChannel: true,
                isCancelled: error == .cancelled || error == .shutDown)
        }
        guard status / 100 == 2 else {
            throw Untold(
                WatchError.webhookAnswered(status: status), concernsChannel: false)
        }
    }
}

/// What is posted.
private struct WebhookBody: Encodable {
    let id: String
    let alert: String
    let text: String
    let merchant: String?
    let kind: String?
    let policy: String
    let stage: String
    let urgency: String
    let state: String
    let summary: String
    let remedy: String
    let deadline: Timestamp?
    let at: Timestamp

    init(_ tiding: Tiding) {
        id = tiding.id
        alert = tiding.alert.id.text
        text = tiding.text
        merchant = tiding.alert.merchant?.text
        kind = tiding.alert.kind?.rawValue
        policy = tiding.alert.policy.rawValue
        stage = tiding.alert.stage.text
        urgency = tiding.alert.urgency.alertName
        state = tiding.isRecovery ? "resolved" : "open"
        summary = tiding.alert.summary
        remedy = tiding.isRecovery ? "" : tiding.alert.remedy
        deadline = tiding.alert.deadline
        at = tiding.at
    }

    private enum Keys: String, CodingKey {
        case id, alert, text, merchant, kind, policy, stage, urgency, state, summary, remedy
        case deadline, at
    }

    /// Every key is always there; what is not known is null.
    func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Keys.self)
        try object.encode(id, forKey: .id)
        try object.encode(alert, forKey: .alert)
        try object.encode(text, forKey: .text)
        try object.encode(merchant, forKey: .merchant)
        try object.encode(kind, forKey: .kind)
        try object.encode(policy, forKey: .policy)
        try object.encode(stage, forKey: .stage)
        try object.encode(urgency, forKey: .urgency)
        try object.encode(state, forKey: .state)
        try object.encode(summary, forKey: .summary)
        try object.encode(remedy, forKey: .remedy)
        try object.encode(deadline, forKey: .deadline)
        try object.encode(at, forKey: .at)
    }

    var json: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Strings, and times that are strings: nothing in it can fail to encode.
        return (try? encoder.encode(self)).map(Array.init) ?? []
    }
}
