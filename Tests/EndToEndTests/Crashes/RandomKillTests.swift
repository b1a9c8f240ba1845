import Glibc
import Merchants
import TestSupport
import Testing

/// `kill -9` at 100 random instants of a loop over the commands that change a home, a thousand in
/// `make soak`.
struct RandomKillTests {
    @Test func `whatever a kill leaves, the next command works and no key is lost`() async throws {
        // Small homes, because all of a home is examined after each kill.
        let homes = Binaries.areSanitized ? 1 : 5 * Binaries.soak
        try await withThrowingTaskGroup(of: Int.self) { group in
            var kills = 0
            for stream in 0..<homes {
                if stream >= 2 { kills += try await group.next() ?? 0 }
                group.addTask {
                    let loop = try await KillLoop(stream: UInt64(stream))
                    return try await loop.run(kills: 20)
                }
            }
            for try await more in group { kills += more }
            #expect(kills == 20 * homes)
        }
    }
}

/// One home, and all that its commands have told so far.
private final class KillLoop {
    private struct Step {
        let words: [String]
        /// How the same words may end when they are said again.
        var again: Set<Int32> = [0]
        /// The CSR whose certificate it imports.
        var csr: Told?
    }

    private struct Told {
        let csr: [UInt8]
        let kind: String
    }

    private let home: TestHome
    private let issuer: TestIssuer
    private var chance: Chance
    private let merchant = "merchant.com.example.shop"
    /// CSRs that were told to their end and have no certificate yet.
    private var waiting: [Told] = []
    private var credentials: [Credential] = []
    private var counter = 0
    /// How long a verb takes, at most, as far as is known.
    private var durations: [String: Duration] = [:]

    init(stream: UInt64) async throws {
        home = try await TestHome()
        issuer = try TestIssuer()
        chance = Chance(stream: stream)
        try await issuer.introduce(to: home)
        try await home.must("merchant", "add", merchant, "--environment", "lab")
    }

    func run(kills wanted: Int) async throws -> Int {
        var kills = 0
        while kills < wanted {
            let step = try nextStep()
            let wasKilled = try await killed(step)
            if wasKilled { kills += 1 }
            if Bool.random(using: &chance) {
                try await say(step)
            } else {
                if wasKilled, let told = step.csr { waiting.append(told) }
                try await say(request())
            }
            // Where records alone were touched, a command with the key settles what is left.
            if step.words[0] != "certificate" { try await say(request()) }
            try await examine(after: step)
        }
        // Every CSR that anybody has seen can be imported.
        while let step = try importing() {
            let result = try await home.run(step.words)
            #expect(result.status == 0, "\(chance.comment) \(result.errorText)")
        }
        try await examine(after: nil)
        try await home.must("audit", "verify")
        return kills
    }

    // MARK: Steps

    private func nextStep() throws -> Step {
        counter += 1
        switch Int.random(in: 0..<9, using: &chance) {
        case 0, 1: return request()
        case 2, 3: return try importing() ?? request()
        case 4:
            guard let id = any(.merchantIdentity, [.issued, .retiring]) else { break }
            return Step(words: ["certificate", "activate", id, "--without-rehearsal"])
        case 5:
            guard let id = any(.paymentProcessing, [.requested, .issued]) else { break }
            return Step(words: ["certificate", "activated", id], again: [0, 65])
        case 6:
            return Step(
                words: ["domain", "add", merchant, "shop-\(counter).example.com"],
                again: [0, 73])
        case 7: return Step(words: ["master-key", "rotate"])
        default:
            let words =
                Bool.random(using: &chance)
                ? ["merchant", "add", "merchant.com.example.more\(counter)"]
                : ["environment", "add", "more\(counter)", "--gateway", "https://localhost:2"]
                    + issuer.anchorFlags(home)
            return Step(words: words, again: [0, 73])
        }
        return request()
    }

    private func request() -> Step {
        let kind = Bool.random(using: &chance) ? "merchant-identity" : "payment-processing"
        return Step(words: ["certificate", "request", merchant, kind])
    }

    private func importing() throws -> Step? {
        guard let told = waiting.popLast() else { return nil }
        let certificate = try issuer.certify(told.csr, merchant, told.kind)
        counter += 1
        return Step(
            words: [
                "certificate", "import", merchant,
                home.folder.write("certificate-\(counter)", certificate),
            ], csr: told)
    }

    private func any(_ kind: CredentialKind, _ states: Set<CredentialState>) -> String? {
        credentials.filter { $0.kind == kind && states.contains($0.state) }
            .randomElement(using: &chance)?.id.text
    }

    // MARK: Running

    /// Starts a step and kills it at some moment of its life; false where it was faster.
    private func killed(_ step: Step) async throws -> Bool {
        let verb = step.words.prefix(2).joined(separator: " ")
        let known = durations[verb] ?? .milliseconds(50)
        let delay = known * chance.fraction(upTo: 1.1)
        let start = ContinuousClock.now
        let victim = try BackgroundProcess(
            Binaries.purser, home.flags + step.words, in: home.folder.path, name: "victim",
            environment: TestHome.environment)
        let ended = try await victim.wait(seconds: delay / .seconds(1))
        victim.signal(SIGKILL)
        let status = try await victim.wait(seconds: 60)
        remember(Array(victim.output.utf8), of: step)
        guard status == CrashPoint.killed else {
            #expect(status == 0, "\(chance.comment) \(step.words) \(victim.errors)")
            durations[verb] = ContinuousClock.now - start
            return false
        }
        if ended == nil { durations[verb] = max(known, delay) * 1.05 }
        return true
    }

    private func say(_ step: Step) async throws {
        let result = try await home.run(step.words)
        #expect(
            step.again.contains(result.status),
            "\(chance.comment) \(step.words): \(result.status) \(result.errorText)")
        remember(result.output, of: step)
    }

    private func remember(_ told: [UInt8], of step: Step) {
        guard step.words[1] == "request", keyHash(ofCSR: told) != nil else { return }
        waiting.append(Told(csr: told, kind: step.words[3]))
    }

    private func examine(after step: Step?) async throws {
        let examination = try await HomeExamination(home)
        credentials = examination.credentials
        let place: Comment = "\(chance.comment), after \(step?.words ?? [])"
        #expect(examination.faults == [], place)
        let recorded = Set(
            credentials.filter { $0.state != .abandoned }.map(\.publicKeyHash))
        for told in waiting {
            let hash = keyHash(ofCSR: told.csr) ?? []
            #expect(recorded.contains(hash), "a CSR was told without its record: \(place)")
        }
    }
}
