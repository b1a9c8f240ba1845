import Locks
import Merchants
import PKI
import Problems

/// Finds out who answers in a gateway's place, once libcurl has refused its certificate.
///
/// libcurl keeps nothing of a certificate that it does not believe, so one handshake more is made,
/// which shows no identity and sends nothing. One for each gateway in ``rest``, however many ask.
final class Onlooker: Sendable {
    /// How long what was found is told.
    private static let rest = Duration.seconds(60)
    private static let limit = Duration.seconds(2)

    private struct Look {
        let at: ContinuousClock.Instant
        let finding: Task<String?, Never>
    }

    private let looks = Locked<[GatewayEnvironment: Look]>([:])

    /// Who issued what is shown there, as of the last look; nil where that is believed now, or nobody
    /// answers.
    func issuer(at environment: GatewayEnvironment) async -> String? {
        let now = ContinuousClock.now
        let look = looks.withLock { looks in
            if let look = looks[environment], now - look.at < Self.rest { return look }
            let new = Look(at: now, finding: Task.detached { await Self.look(at: environment) })
            looks[environment] = new
            return new
        }
        return await look.finding.value
    }

    private static func look(at environment: GatewayEnvironment) async -> String? {
        let visit = await GatewayVisit.make(to: environment, within: limit)
        guard let peer = visit.peer, let shown = peer.chain.first, peer.fault != nil else {
            return nil
        }
        let issuer = shown.issuer.organization ?? shown.issuer.commonName ?? shown.issuer.rfc4514
        return harmless(issuer)
    }

    /// Cut to fit a line, without what could change a terminal.
    private static func harmless(_ name: String) -> String {
        String(name.unicodeScalars.prefix(40).map { $0.isInvisible ? " " : Character($0) })
    }
}
