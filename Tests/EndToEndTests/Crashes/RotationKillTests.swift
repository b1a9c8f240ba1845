import Glibc
import Merchants
import TestSupport
import Testing

/// `kill -9` at 100 random instants of `master-key rotate`, a thousand in `make soak`.
struct RotationKillTests {
    @Test
    func `a rotation that was killed at any instant is finished by the next, and nothing lost`()
        async throws
    {
        let kills = Binaries.areSanitized ? 5 : 50 * Binaries.soak
        try await withThrowingTaskGroup(of: Void.self) { group in
            for stream in 0..<2 {
                group.addTask { try await kill(kills, stream: UInt64(stream)) }
            }
            try await group.waitForAll()
        }
    }

    /// Of those that a provider holds there is no file.
    private static func keysHere(_ examination: HomeExamination) -> Set<[UInt8]> {
        Set(examination.credentials.filter { $0.custody == .local }.map(\.publicKeyHash))
    }

    private func kill(_ wanted: Int, stream: UInt64) async throws {
        var chance = Chance(stream: stream)
        let stage = try await Stage()
        let home = stage.home
        for _ in 0..<8 {
            try await home.must("certificate", "request", Stage.merchant, "payment-processing")
        }
        let before = try await HomeExamination(home)
        let hashes = Self.keysHere(before)
        let beginning = ContinuousClock.now
        try await home.must("master-key", "rotate")
        var duration = ContinuousClock.now - beginning
        var (kills, unfinished, resumed) = (0, 0, 0)
        while kills < wanted {
            let start = ContinuousClock.now
            let victim = try BackgroundProcess(
                Binaries.purser, home.flags + ["master-key", "rotate"], in: home.folder.path,
                name: "victim", environment: TestHome.environment)
            let delay = duration * chance.fraction(upTo: 1.1)
            let ended = try await victim.wait(seconds: delay / .seconds(1))
            victim.signal(SIGKILL)
            let status = try await victim.wait(seconds: 60)
            guard status == CrashPoint.killed else {
                #expect(status == 0, "\(chance.comment) \(victim.errors)")
                duration = ContinuousClock.now - start
                continue
            }
            if ended == nil { duration = max(duration, delay) * 1.02 }
            kills += 1

            // As it lies there, every key opens, and others can work.
            let torn = try await HomeExamination(home, settled: false)
            let place: Comment = "\(chance.comment), kill \(kills)"
            #expect(torn.faults == [], place)
            let isUnfinished = torn.generations.count == 2
            if isUnfinished { unfinished += 1 }
            if Bool.random(using: &chance) {
                let other = try await home.run("certificate", "activate", "000000000000")
                #expect(other.status == 66)
                #expect(other.hints.contains("finish it: purser master-key rotate") == isUnfinished)
            }

            let again = try await home.json("master-key", "rotate")
            #expect(again["resumed"].bool == isUnfinished, place)
            if again["resumed"].bool == true { resumed += 1 }
            #expect(again["keys"].number == hashes.count, place)
            let whole = try await HomeExamination(home)
            #expect(whole.faults == [] && whole.generations.count == 1, place)
            #expect(Self.keysHere(whole) == hashes, place)
            #expect(whole.generations == [again["generation"].number ?? 0], place)
        }
        // Not all of them before anything was begun, where there are enough to tell.
        #expect(unfinished > wanted / 10 || wanted < 50, "\(unfinished) of \(wanted)")
        #expect(resumed == unfinished)
        try await home.must("audit", "verify")
    }
}
