package import Problems
package import Transfers

/// Why the watch, or a receiver of what it tells, did not do its part.
package enum WatchError: Explained, Equatable {
    /// Another watch holds the home's `watch.lock`.
    case busy
    case webhookAnswered(status: Int)
    case webhookUnreachable(TransferError)
    case heartbeatAnswered(status: Int)
    case heartbeatUnreachable(TransferError)

    package var code: String {
        switch self {
        case .busy: "watch.busy"
        case .webhookAnswered: "alert.webhook-refused"
        case .webhookUnreachable: "alert.webhook-unreachable"
        case .heartbeatAnswered: "heartbeat.refused"
        case .heartbeatUnreachable: "heartbeat.unreachable"
        }
    }

    package var summary: String {
        switch self {
        case .busy: "another watch of this home is under way"
        case .webhookAnswered(let status): "the webhook answered with status \(status)"
        case .webhookUnreachable(let reason): "no webhook: \(reason.summary)"
        case .heartbeatAnswered(let status):
            "the heartbeat's receiver answered with status \(status)"
        case .heartbeatUnreachable(let reason): "no heartbeat: \(reason.summary)"
        }
    }

    package var remedy: String {
        switch self {
        case .busy: "nothing: it tells what there is to tell; or run it again later"
        case .webhookAnswered(let status) where status / 100 == 3:
            "give the address itself in alerts.webhook.url: redirections are not followed"
        case .webhookAnswered:
            "check alerts.webhook.url and the secret that its receiver has; it is tried again"
        case .heartbeatAnswered: "check alerts.heartbeat.url; it is tried again at the next run"
        case .webhookUnreachable(let reason), .heartbeatUnreachable(let reason): reason.remedy
        }
    }

    package var nature: Nature {
        switch self {
        case .busy: .unavailable
        case .webhookAnswered, .heartbeatAnswered: .refused
        case .webhookUnreachable(let reason), .heartbeatUnreachable(let reason): reason.nature
        }
    }

    package var cause: (any Error)? {
        switch self {
        case .webhookUnreachable(let reason), .heartbeatUnreachable(let reason): reason
        case .busy, .webhookAnswered, .heartbeatAnswered: nil
        }
    }

    package static var examples: [WatchError] {
        [
            .busy, .webhookAnswered(status: 500), .webhookAnswered(status: 302),
            .webhookUnreachable(.connectionRefused(host: "hooks.example")),
            .heartbeatAnswered(status: 404),
            .heartbeatUnreachable(.nameNotResolved(host: "alive.example")),
        ]
    }
}
