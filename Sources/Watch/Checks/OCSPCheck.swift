import Clocks
import Issuance
import Merchants
import PKI
import Problems
import Registry
import Transfers

/// What the issuers say of the certificates in use, where these name an OCSP address.
///
/// Outcomes: `good`, `revoked`, `unknown`, `failed`, and `unnamed` where there is no address. The
/// detail begins with the certificate's serial
/// number, because a credential may get another certificate for its key.
struct OCSPCheck {
    let checks: NetworkChecks
    let watched: Watched

    init(checks: NetworkChecks, _ watched: Watched) {
        (self.checks, self.watched) = (checks, watched)
    }

    private enum Seen: Sendable {
        /// `made`: when the issuer knew it.
        case look(Observation, made: Timestamp?)
        case error(any Error)
        /// There is no certificate.
        case nothing
    }

    func run(until deadline: ContinuousClock.Instant) async -> [any Error] {
        let checks = checks
        let issuers = IssuerSearch(home: checks.home, vault: checks.vault)
        let desk = OCSPDesk(loop: checks.loop, timeLimit: checks.limits.each)
        let work = SideBySide(width: checks.limits.width, deadline: deadline)
        let now = checks.home.clock.now
        let due = watched.inTurn(.ocsp).filter {
            watched.isDue(
                $0, .ocsp, at: now, after: checks.limits.askAfter, since: "good",
                elseAfter: checks.limits.repeatAfter)
        }
        let (seen, left) = await work.work(on: due) { subject in
            await Self.look(at: subject, issuers, desk, at: checks.home.clock.now)
        }
        desk.close()
        var looks: [Observation] = []
        var made: [String: Timestamp] = [:]
        var errors: [any Error] = []
        for outcome in seen {
            switch outcome {
            case .look(let look, let moment):
                looks.append(look)
                made[look.subject] = moment
            case .error(let error): errors.append(error)
            case .nothing: break
            }
        }
        let silent = looks.filter { $0.outcome == "failed" || $0.outcome == "unknown" }
        if let first = silent.first {
            let why = first.detail.split(separator: " ").dropFirst(2).joined(separator: " ")
            errors.append(NetworkCheckError.issuersSilent(count: silent.count, why: why))
        }
        if left > 0 { errors.append(NetworkCheckError.outOfTime(check: "revocation", left: left)) }
        do {
            let made = made
            try await checks.record(looks) { known, new in
                Self.staysRevoked(known, new, made: made[new.subject])
            }
        } catch {
            errors.append(error)
        }
        return errors
    }

    private static func look(
        at subject: Watched.Subject, _ issuers: IssuerSearch, _ desk: OCSPDesk, at now: Timestamp
    ) async -> Seen {
        do {
            guard let record = subject.credential.certificate else { return .nothing }
            let certificate = try Certificate(der: record.der)
            guard !certificate.ocspURLs.isEmpty else {
                return .look(
                    Observation(
                        .ocsp, of: subject.credential.id.text, outcome: "unnamed",
                        detail: "certificate \(certificate.serialNumber) names no address", at: now),
                    made: nil)
            }
            guard let issuer = try await issuers.issuer(of: certificate, subject.credential) else {
                return .error(NetworkCheckError.issuerUnknown(subject.credential.id))
            }
            let word = await desk.ask(
                about: certificate, issuer, for: subject.environments, at: now)
            return .look(
                Observation(
                    .ocsp, of: subject.credential.id.text, outcome: word.outcome,
                    detail: "certificate \(certificate.serialNumber) \(word.words)", at: now),
                made: word.made)
        } catch {
            return .error(error)
        }
    }

    /// Whether what is on record, that a certificate is revoked, outlives a look that says less.
    ///
    /// Only the issuer can take a revocation back (a hold that was lifted), by an answer that it has
    /// made since: an older one may be played again by whoever sits on the way.
    private static func staysRevoked(
        _ known: Observation, _ new: Observation, made: Timestamp?
    ) -> Bool {
        // The first two words name the certificate.
        let certificate = { (look: Observation) in look.detail.split(separator: " ").prefix(2) }
        guard known.outcome == "revoked", certificate(known) == certificate(new) else {
            return false
        }
        switch new.outcome {
        case "revoked": return false
        case "good": return made.map { $0 <= known.since } ?? true
        default: return true
        }
    }
}
