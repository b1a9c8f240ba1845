import Merchants
import TestSupport
import Testing

/// A command killed at each of its changes to the file system, one after the other.
///
/// What dies is always the same command on a copy of the same home; it dies one call later each
/// time, until it comes through unharmed. The short form leaves every second one out, from the first or
/// from the second on by chance.
@Suite(.enabled(if: CrashPoint.isPossible, CrashPoint.reason))
struct EveryBoundaryTests {
    /// A command that dies, and how the same command may end when it is given again.
    struct Victim: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// `ISSUED`, `OUT` and the like stand for what ``Stage`` has.
        let command: [String]
        /// Whether it opens the vault, and so must settle by itself what its like has left.
        var opensVault = true
        var again: Set<Int32> = [0]
        var crash = CrashPoint()
    }

    static let records = [
        Victim(
            testDescription: "environment add",
            command: ["environment", "add", "more", "--gateway", "https://localhost:2", "ANCHOR"],
            opensVault: false, again: [0, 73]),
        Victim(
            testDescription: "merchant add",
            command: ["merchant", "add", "merchant.com.example.more", "--environment", "lab"],
            opensVault: false, again: [0, 73]),
        Victim(
            testDescription: "domain add",
            command: ["domain", "add", Stage.merchant, "more.example.com"],
            opensVault: false, again: [0, 73]),
        Victim(
            testDescription: "request of a provider's CSR",
            command: [
                "certificate", "request", Stage.merchant, "merchant-identity", "--csr", "REQUEST",
                "--provider", "Example Payments",
            ], opensVault: false),
        Victim(
            testDescription: "merchant retire", command: ["merchant", "retire", Stage.merchant],
            opensVault: false, again: [0, 65]),
    ]

    static let keys = [
        Victim(
            testDescription: "request",
            command: ["certificate", "request", Stage.merchant, "payment-processing"]),
        Victim(
            testDescription: "request --out",
            command: [
                "certificate", "request", Stage.merchant, "payment-processing", "--out", "OUT",
            ], again: [0, 73]),
        Victim(
            testDescription: "request without unnamed files",
            command: ["certificate", "request", Stage.merchant, "payment-processing"],
            crash: CrashPoint(hidesUnnamedFiles: true)),
        Victim(
            testDescription: "import",
            command: ["certificate", "import", Stage.merchant, "CERTIFICATE"]),
        Victim(
            testDescription: "import with its key",
            command: ["certificate", "import", Stage.merchant, "PAIR"]),
        Victim(
            testDescription: "import of a key that a provider has held",
            command: ["certificate", "import", Stage.merchant, "THEIRS"]),
        Victim(
            testDescription: "activate",
            command: ["certificate", "activate", "ISSUED", "--without-rehearsal"]),
        Victim(
            testDescription: "activated", command: ["certificate", "activated", "PROCESSING"]),
        Victim(
            testDescription: "abandon", command: ["certificate", "abandon", "ISSUED"]),
        Victim(
            testDescription: "revoke the one in use",
            command: ["certificate", "revoke", "ACTIVE", "--reason", "key-compromise"]),
        Victim(
            testDescription: "destroy",
            command: ["certificate", "destroy", "ABANDONED", "--yes"]),
        Victim(
            testDescription: "export",
            command: [
                "certificate", "export", "ISSUED", "--password-file", "SECRET", "--out", "OUT",
            ], again: [0, 73]),
    ]

    static let master = [
        Victim(testDescription: "rotate", command: ["master-key", "rotate"]),
        Victim(
            testDescription: "add a key file",
            command: ["unlocker", "add", "--new-key-file", "KEYFILE"], again: [0, 73]),
        Victim(
            testDescription: "remove an unlocker", command: ["unlocker", "remove", "UNLOCKER"],
            again: [0, 66]),
    ]

    @Test func `the vault key and its unlockers: what died is explained by the next command`()
        async throws
    {
        try await killEach(Self.master)
    }

    @Test func `records alone: what died is explained by the next command`() async throws {
        try await killEach(Self.records)
    }

    @Test func `keys: what died is explained by the next command`() async throws {
        try await killEach(Self.keys)
    }

    /// All victims, each on a home of its own, as many at once as there are cores.
    private func killEach(_ victims: [Victim]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, victim) in victims.enumerated() {
                if index >= 2 { try await group.next() }
                group.addTask { try await kill(victim) }
            }
            try await group.waitForAll()
        }
    }

    private func kill(_ victim: Victim) async throws {
        let stage = try await Stage()
        let command = stage.filledIn(victim.command)
        var chance = Chance()
        let step = Binaries.soak > 1 ? 1 : 2
        var number = Int.random(in: 1...step, using: &chance)
        while true {
            try await stage.restore()
            let first = try await stage.home.run(
                command, environment: try victim.crash.dying(at: number))
            guard first.status == CrashPoint.killed else {
                #expect(first.status == 0, "\(victim.testDescription): \(first.errorText)")
                break
            }
            let place: Comment = "\(victim.testDescription), killed at its call \(number)"
            try await examine(stage, command, victim, told: first.output, place)
            number += step
        }
        // A write-ahead log, a commit and the end of the log at least.
        #expect(number > 10)
        let verified = try await stage.home.run("audit", "verify")
        #expect(verified.status == 0)
    }

    private func examine(
        _ stage: Stage, _ command: [String], _ victim: Victim, told: [UInt8], _ place: Comment
    ) async throws {
        let out = stage.home.folder.read("out")
        let csrs = [told, out].compactMap(keyHash(ofCSR:))
        // A file of --out is there whole or not at all.
        #expect(out.isEmpty || !command.contains("request") || csrs.count == 1, place)

        let second = try await stage.home.run(command)
        #expect(victim.again.contains(second.status), "\(place) \(second.errorText)")
        if !victim.opensVault {
            // The next command with the key settles what is left, also when it has nothing to do.
            let next = try await stage.home.run(
                "certificate", "activate", stage.active, "--without-rehearsal")
            #expect([0, 65].contains(next.status), "\(place) \(next.errorText)")
        }
        let examination = try await HomeExamination(stage.home)
        #expect(examination.faults == [], place)
        let doctor = try await stage.home.run("doctor", "--json")
        #expect(doctor.status == 0, "\(place) \(doctor.text)")
        for hash in csrs {
            let record = examination.credentials.first { $0.publicKeyHash == hash }
            #expect(record?.state == .requested, "a CSR was told without its record: \(place)")
        }
    }
}
