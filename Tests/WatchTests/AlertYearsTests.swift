import Clocks
import Database
import Glibc
import Issuance
import Merchants
import Registry
import TestSupport
import Testing
import Watch

/// Three years of alerts, day by day, with days on which nothing runs and receivers that fail.
///
/// `PURSER_SOAK` makes it more merchants and more rounds.
@Suite struct AlertYearsTests {
    static let soak = getenv("PURSER_SOAK").flatMap { Int(String(cString: $0)) } ?? 1

    /// One merchant's certificate, and when somebody renews it: before its end or long after.
    private struct Life {
        var credential = CredentialIdentifier.random()
        var deadline: Timestamp
        var renewal: Timestamp

        init(from now: Timestamp, _ dice: inout Dice) {
            deadline = now.adding(
                seconds: Int64.random(in: 100...420, using: &dice) * 86_400
                    + Int64.random(in: 0..<86_400, using: &dice))
            renewal = deadline.adding(days: Int64.random(in: -95...9, using: &dice))
        }

        /// How urgent it is says nothing of when it is told.
        func finding(_ merchant: MerchantIdentifier, at now: Timestamp) -> Finding {
            Finding(
                .expiry, deadline.days(since: now) <= 7 ? .critical : .fine, merchant: merchant,
                kind: .merchantIdentity, credential: credential, deadline: deadline,
                summary: "expires in \(deadline.days(since: now)) days")
        }
    }

    /// Always the same numbers for the same seed (SplitMix64).
    private struct Dice: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    /// What a receiver has taken of one alert.
    private struct Heard {
        var stages: [AlertStage] = []
        var days: Set<Int64> = []
        var recoveries = 0
    }

    /// Watches what receivers take, and complains.
    private struct Witness {
        var heard: [String: Heard] = [:]
        var complaints: [String] = []

        mutating func take(_ taken: [FakeChannel.Taken]) {
            for one in taken {
                let alert = one.tiding.alert
                var heard = self.heard["\(one.receiver) \(alert.id)"] ?? Heard()
                defer { self.heard["\(one.receiver) \(alert.id)"] = heard }
                let what = "\(one.receiver) \(alert.id) \(alert.stage.text) at \(one.tiding.at)"
                if one.tiding.isRecovery {
                    heard.recoveries += 1
                    if heard.recoveries > 1 { complaints.append("recovery twice: \(what)") }
                    if heard.stages.isEmpty { complaints.append("recovery of nothing: \(what)") }
                    continue
                }
                if heard.recoveries > 0 { complaints.append("after its recovery: \(what)") }
                if let last = heard.stages.last, last.isWorse(than: alert.stage) {
                    complaints.append("backwards: \(what)")
                }
                if let day = AlertLadder.day(of: alert, at: one.tiding.at) {
                    if !heard.days.insert(day).inserted { complaints.append("day twice: \(what)") }
                } else if heard.stages.contains(alert.stage) {
                    complaints.append("threshold twice: \(what)")
                }
                heard.stages.append(alert.stage)
            }
        }

        /// After a run in which its channel worked, a receiver has heard all of it.
        mutating func demand(_ receiver: String, _ open: [Alert], at now: Timestamp) {
            for alert in open {
                let heard = self.heard["\(receiver) \(alert.id)"]
                let day = AlertLadder.day(of: alert, at: now)
                if heard?.stages.last != alert.stage
                    || day.map({ heard?.days.contains($0) != true }) == true
                {
                    complaints.append(
                        "missed: \(receiver) \(alert.id) \(alert.stage.text) at \(now)")
                }
            }
        }
    }

    @Test(arguments: 1...UInt64(max(soak, 2)))
    func `no threshold is told twice and none is missed, whatever fails`(
        seed: UInt64
    ) async throws {
        var dice = Dice(state: seed)
        let home = try await WatchedHome(merchants: Self.soak > 1 ? 50 : 6)
        let mail = FakeChannel("mail", batch: 100, everybody: ["security"], tellsOwners: true)
        let hook = FakeChannel("webhook", everybody: ["here"])
        let start = home.clock.now
        var lives = home.merchants.map { _ in Life(from: start, &dice) }
        var witness = Witness()
        var expired = 0
        for day in 0..<Int64(3 * 365) {
            // Some days nothing runs, now and then for a fortnight.
            if day % 97 < 14 && seed % 2 == 0 || Int.random(in: 0..<10, using: &dice) == 0 {
                continue
            }
            let now = start.adding(
                seconds: day * 86_400 + Int64.random(in: 0..<25_000, using: &dice))
            home.clock.move(to: now)
            for index in lives.indices where lives[index].renewal <= now {
                lives[index] = Life(from: now, &dice)
            }
            let works = (0..<2).map { _ in Int.random(in: 0..<4, using: &dice) != 0 }
            mail.refuse(!works[0])
            hook.refuse(!works[1], channel: Bool.random(using: &dice))
            // A new engine each time: what it knows is in the database.
            let engine = AlertEngine(
                database: home.home.database, channels: [mail, hook], clock: home.clock)
            let outcome = try await engine.run(
                zip(lives, home.merchants).map { $0.finding($1, at: now) })
            let taken = mail.takeOut() + hook.takeOut()
            witness.take(taken)
            expired += taken.count { $0.tiding.alert.stage == .expired }
            if works[0] {
                witness.demand("mail:security", outcome.open, at: now)
                for (index, merchant) in home.merchants.enumerated() {
                    witness.demand(
                        "mail:owner\(index)@example.com",
                        outcome.open.filter { $0.merchant == merchant }, at: now)
                }
            }
            if works[1] { witness.demand("webhook:here", outcome.open, at: now) }
            let over = try await home.home.database.read {
                try AlertRecords.untoldRecoveries(in: $0).count
            }
            if works[0] && works[1] && over > 0 {
                witness.complaints.append("recovery missed at \(now)")
            }
        }
        #expect(witness.complaints.prefix(10) == [])
        // It was no walk in the park: things did expire, and were told.
        #expect(expired > 0 && witness.heard.count > lives.count * 6)
    }
}
