import Clocks
import Database
import Merchants
import Registry

/// What there is to look at, as of one moment.
struct Watched: Sendable {
    /// A credential in use, with its merchant.
    struct Subject: Sendable {
        let credential: Credential
        let merchant: Merchant
        let environments: [GatewayEnvironment]
    }

    /// Active credentials, and identities that services may have to go back to.
    let subjects: [Subject]
    /// The environments that merchants in service use.
    let environments: [GatewayEnvironment]
    /// What has been seen, by subject.
    let seen: [Observation.Sort: [String: Observation]]
    /// The records that cannot be read; the others are looked at.
    let damage: [any Error]

    init(in transaction: borrowing Transaction) throws {
        var damage: [any Error] = []
        let merchants = try MerchantRecords.list(includingRetired: false, in: transaction) {
            damage.append($1)
        }
        // Also those of merchants whose own records cannot be read.
        var environments: [GatewayEnvironment] = []
        for environment in try Environments.list(in: transaction)
        where try Environments.isInService(environment.name, in: transaction) {
            environments.append(environment)
        }
        self.environments = environments
        var subjects: [Subject] = []
        for merchant in merchants {
            do {
                for credential in try Credentials.list(
                    merchant: merchant.identifier, in: transaction)
                where credential.certificate != nil && credential.isInUse {
                    subjects.append(
                        Subject(
                            credential: credential, merchant: merchant,
                            environments: environments.filter {
                                merchant.environments.contains($0.name)
                            }))
                }
            } catch  where Credentials.isDamage(error) {
                damage.append(error)
            }
        }
        self.subjects = subjects
        self.damage = damage
        var seen: [Observation.Sort: [String: Observation]] = [:]
        for sort in [Observation.Sort.ocsp, .rehearsal, .site] {
            for look in try Observations.list(sort, in: transaction) {
                seen[sort, default: [:]][look.subject] = look
            }
        }
        self.seen = seen
    }

    /// Whether a subject should be looked at again: after `seconds` where the last look had the
    /// outcome `wanted`, sooner where it had another.
    func isDue(
        _ subject: Subject, _ sort: Observation.Sort, at now: Timestamp, after seconds: Int64,
        since wanted: String, elseAfter sooner: Int64
    ) -> Bool {
        guard let look = seen[sort]?[subject.credential.id.text] else { return true }
        let pause = look.outcome == wanted ? seconds : min(seconds, sooner)
        // A look in the future: the clock was put back since.
        return look.at > now || look.at.adding(seconds: pause) <= now
    }

    /// The subjects, the one first that was not looked at for longest.
    func inTurn(_ sort: Observation.Sort) -> [Subject] {
        let seen = seen[sort] ?? [:]
        return subjects.map { ($0, seen[$0.credential.id.text]?.at.seconds ?? .min) }
            .sorted { $0.1 < $1.1 }.map(\.0)
    }
}

extension Credential {
    fileprivate var isInUse: Bool {
        state == .active || (state == .retiring && kind == .merchantIdentity)
    }
}
