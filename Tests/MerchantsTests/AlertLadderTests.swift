import Clocks
import Merchants
import Testing

/// When a problem is told.
@Suite struct AlertLadderTests {
    static let start = Timestamp(seconds: 1_800_000_000)

    private func expiry(in seconds: Int64, _ urgency: Urgency = .fine) throws -> Finding {
        Finding(
            .expiry, urgency, merchant: try MerchantIdentifier("merchant.com.example.shop"),
            kind: .merchantIdentity, credential: .example,
            deadline: Self.start.adding(seconds: seconds), summary: "it expires")
    }

    @Test(
        arguments: [
            (91, nil), (90, "90"), (61, "90"), (60, "60"), (31, "60"), (30, "30"), (15, "30"),
            (14, "14"), (8, "14"), (7, "7"), (4, "7"), (3, "3"), (2, "3"), (1, "1"), (0, "1"),
            (-1, "expired"), (-400, "expired"),
        ] as [(Int64, String?)])
    func `the stage is the tightest threshold at or above the days left`(
        days: Int64, stage: String?
    ) throws {
        let finding = try expiry(in: days * 86_400)
        #expect(AlertLadder.stage(of: finding, at: Self.start)?.text == stage)
        // Days are floored: almost a day more changes nothing.
        let later = try expiry(in: days * 86_400 + 86_399)
        #expect(AlertLadder.stage(of: later, at: Self.start)?.text == stage)
    }

    @Test func `other policies are told by their urgency, and fine ones not at all`() {
        let stages = Urgency.allCases.map {
            AlertLadder.stage(of: Finding(.gateway, $0, summary: "x"), at: Self.start)
        }
        #expect(stages == [nil, .warning, .critical])
    }

    @Test func `stages are read as they are written`() {
        let all =
            AlertLadder.thresholds.map(AlertStage.days) + [.expired, .warning, .critical]
        for stage in all { #expect(AlertStage(stage.text) == stage) }
        for text in ["", "2", "91", "-1", "Expired", "30 "] { #expect(AlertStage(text) == nil) }
        for (one, next) in zip(all.dropLast(2), all.dropFirst().dropLast(2)) {
            #expect(next.isWorse(than: one) && !one.isWorse(than: next))
        }
    }

    /// Walks through the days left on which a channel that takes everything is told.
    private func toldDays(
        _ days: some Sequence<Int64>, acknowledgedOn: Set<Int64> = []
    ) throws -> [Int64] {
        let finding = try expiry(in: 100 * 86_400)
        var alert: Alert?
        var told: AlertLadder.Told?
        var all: [Int64] = []
        for left in days {
            let now = Self.start.adding(days: 100 - left)
            guard let stage = AlertLadder.stage(of: finding, at: now) else { continue }
            var current = alert ?? Alert(finding, stage: stage, at: now)
            current.update(finding, stage: stage, at: now)
            if AlertLadder.mustTell(current, lastTold: told, at: now) {
                all.append(left)
                told = .init(stage: stage, at: now)
            }
            if acknowledgedOn.contains(left) {
                current.acknowledgement = .init(at: now, by: "somebody", stage: stage)
            }
            alert = current
        }
        return all
    }

    @Test(arguments: [Int64(2), 20, 100, 4_000], [false, true])
    func `a clock that jumps ahead once keeps nothing silent for ever`(
        jump: Int64, acknowledged: Bool
    ) throws {
        let finding = try expiry(in: 100 * 86_400)
        for jumpDay in stride(from: Int64(0), through: 103, by: 1) {
            var alert: Alert?
            var told: AlertLadder.Told?
            var toldAt: [AlertStage: Int64] = [:]
            func run(at now: Timestamp, day: Int64?, acknowledging: Bool) {
                guard let stage = AlertLadder.stage(of: finding, at: now) else { return }
                var current = alert ?? Alert(finding, stage: stage, at: now)
                current.update(finding, stage: stage, at: now)
                if AlertLadder.mustTell(current, lastTold: told, at: now) {
                    told = .init(stage: stage, at: now)
                    if let day { toldAt[stage] = toldAt[stage] ?? day }
                }
                if acknowledging {
                    current.acknowledgement = .init(at: now, by: "somebody", stage: stage)
                }
                alert = current
            }
            for day in Int64(0)...110 {
                let now = Self.start.adding(days: day)
                run(at: now, day: day, acknowledging: false)
                guard day == jumpDay else { continue }
                run(at: now.adding(days: jump), day: nil, acknowledging: acknowledged)
            }
            // Every stage that begins after the jump is told on its day, whatever was told in it.
            let begins: [(AlertStage, Int64)] =
                AlertLadder.thresholds.map { (.days($0), 100 - $0) } + [(.expired, 101)]
            for (stage, day) in begins
            where day > jumpDay && day != jumpDay + jump {
                #expect(toldAt[stage] == day, "\(stage) after a jump on day \(jumpDay)")
            }
        }
    }

    @Test func `what was told in the future is untold, but for what clocks may differ`() throws {
        let finding = try expiry(in: 20 * 86_400)
        var alert = Alert(finding, stage: .days(30), at: Self.start)
        let ahead = AlertLadder.Told(stage: .expired, at: Self.start.adding(seconds: 301))
        #expect(AlertLadder.mustTell(alert, lastTold: ahead, at: Self.start))
        let near = AlertLadder.Told(stage: .expired, at: Self.start.adding(seconds: 300))
        #expect(!AlertLadder.mustTell(alert, lastTold: near, at: Self.start))
        alert.stage = .expired
        alert.acknowledgement = .init(
            at: Self.start.adding(days: 9), by: "somebody", stage: .expired)
        let yesterday = AlertLadder.Told(stage: .expired, at: Self.start.adding(days: -1))
        #expect(AlertLadder.mustTell(alert, lastTold: yesterday, at: Self.start))
    }

    private let everyDay = stride(from: Int64(100), through: -3, by: -1)

    @Test func `each threshold is told once, and the last days daily`() throws {
        #expect(
            try toldDays(everyDay) == [90, 60, 30, 14, 7, 3, 2, 1, 0, -1, -2, -3])
    }

    @Test func `after a gap only the tightest is told`() throws {
        #expect(try toldDays([100, 95, 20, 19, 5]) == [20, 5])
        #expect(try toldDays([-5]) == [-5])
    }

    @Test func `an acknowledgement silences what is daily until the next threshold`() throws {
        #expect(try toldDays(everyDay, acknowledgedOn: [3]).suffix(6) == [3, 1, 0, -1, -2, -3])
        #expect(try toldDays(everyDay, acknowledgedOn: [1]).suffix(6) == [3, 2, 1, -1, -2, -3])
        #expect(try toldDays(everyDay, acknowledgedOn: [-1]).suffix(5) == [3, 2, 1, 0, -1])
        // Long before, it changes nothing of what is still to come.
        #expect(try toldDays(everyDay, acknowledgedOn: [30]) == toldDays(everyDay))
    }

    @Test func `a clock that goes back tells the stage of now once, and no more`() throws {
        #expect(try toldDays([30, 31, 31, 31, 30, 2, 3, 3, 2, 2]) == [30, 31, 30, 2, 3, 2])
    }

    @Test func `twice a day is once`() throws {
        let finding = try expiry(in: 2 * 86_400)
        let alert = Alert(finding, stage: .days(3), at: Self.start)
        let told = AlertLadder.Told(stage: .days(3), at: Self.start.adding(seconds: 1))
        #expect(
            !AlertLadder.mustTell(alert, lastTold: told, at: Self.start.adding(seconds: 43_200)))
        #expect(
            AlertLadder.mustTell(alert, lastTold: told, at: Self.start.adding(seconds: 86_401)))
    }

    @Test func `what is critical is told daily, a warning once, and worse at once`() {
        let finding = Finding(.gateway, .critical, subject: "lab", summary: "down")
        let alert = Alert(finding, stage: .critical, at: Self.start)
        let told = AlertLadder.Told(stage: .critical, at: Self.start)
        #expect(
            !AlertLadder.mustTell(alert, lastTold: told, at: Self.start.adding(seconds: 86_399)))
        #expect(AlertLadder.mustTell(alert, lastTold: told, at: Self.start.adding(days: 1)))
        var better = alert
        better.stage = .warning
        #expect(!AlertLadder.mustTell(better, lastTold: told, at: Self.start.adding(days: 9)))
        let warned = AlertLadder.Told(stage: .warning, at: Self.start)
        #expect(!AlertLadder.mustTell(better, lastTold: warned, at: Self.start.adding(days: 9)))
        #expect(AlertLadder.mustTell(alert, lastTold: warned, at: Self.start))
        var known = alert
        known.acknowledgement = .init(at: Self.start, by: "somebody", stage: .critical)
        #expect(!AlertLadder.mustTell(known, lastTold: told, at: Self.start.adding(days: 9)))
        #expect(AlertLadder.mustTell(known, lastTold: nil, at: Self.start))
    }
}

/// What becomes of open alerts.
@Suite struct AlertPlanTests {
    let now = AlertLadderTests.start

    private func gateway(_ name: String, _ urgency: Urgency = .warning) -> Finding {
        Finding(.gateway, urgency, subject: name, summary: "\(name) does not answer")
    }

    @Test func `alerts are raised, changed, kept and resolved`() throws {
        let first = AlertPlan(findings: [gateway("a"), gateway("b")], open: [], at: now)
        #expect(first.raised.count == 2 && first.open == first.raised)
        let later = now.adding(days: 1)
        let second = AlertPlan(
            findings: [gateway("b", .critical), gateway("c")], open: first.open, at: later)
        #expect(second.raised.map(\.episode) == ["c"])
        #expect(second.changed.map(\.stage) == [.critical])
        #expect(second.changed.first?.stagedAt == later)
        #expect(second.changed.first?.id == first.raised[1].id)
        #expect(second.resolved.map(\.id) == [first.raised[0].id])
        #expect(second.resolved.first?.resolvedAt == later)
        let third = AlertPlan(
            findings: [gateway("c"), gateway("b", .critical)], open: second.open,
            at: later.adding(days: 1))
        #expect(third.isEmpty)
    }

    @Test func `what would be one alert is one, as urgent as the worst`() {
        let plan = AlertPlan(
            findings: [gateway("a"), gateway("a", .critical), gateway("a", .fine)], open: [],
            at: now)
        #expect(plan.raised.map(\.stage) == [.critical])
    }

    @Test func `a new certificate is a new episode`() throws {
        func expiry(_ deadline: Int64) -> Finding {
            Finding(
                .expiry, .warning, kind: .merchantIdentity, credential: .example,
                deadline: now.adding(days: deadline), summary: "it expires")
        }
        let first = AlertPlan(findings: [expiry(3)], open: [], at: now)
        let second = AlertPlan(findings: [expiry(80)], open: first.open, at: now)
        #expect(second.raised.map(\.stage) == [.days(90)])
        #expect(second.resolved.map(\.id) == first.raised.map(\.id))
        let third = AlertPlan(findings: [expiry(700)], open: second.open, at: now)
        #expect(third.raised.isEmpty && third.resolved.count == 1)
    }

    @Test func `numbers and times in a summary make no new episode`() {
        func finding(_ words: String) -> Finding { Finding(.watchAsleep, .warning, summary: words) }
        let one = finding("the watch has not run since 2026-03-01T08:00:00Z (3 hours)")
        let other = finding("the watch has not run since 2026-03-01T08:00:00Z (14 hours)")
        #expect(one.episode == other.episode && !one.episode.isEmpty)
        #expect(one.episode != finding("the watch has not run yet").episode)
    }
}
