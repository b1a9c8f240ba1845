import Clocks
import Issuance
import Locks
import Problems
import Vault

/// `purser master-key rotate`.
enum MasterKeyRotateCommand {
    static let forgetUnreadable = Option(
        flag: "forget-unreadable",
        "give up the keys that are missing or do not open, and forget the old vault key")

    static let verb = Verb(
        "master-key", "rotate",
        summary: "make a new vault key and bring every key's file under it",
        discussion: [
            "All unlockers open the home as before. Services go on; commands that change keys wait. "
                + "Ended at any moment, it leaves nothing lost: every file opens under the old vault "
                + "key or the new one, and the same command finishes what it began.",
            "While a key on record is missing, or its file does not open in its place, the old vault key "
                + "is kept too: each such file is named, the rotation stays unfinished, and the status is "
                + "65. Put the file back, or destroy the record (purser certificate destroy ID), and "
                + "rotate again; with --forget-unreadable it ends all the same, and the ledger lists what "
                + "was given up.",
        ],
        options: [forgetUnreadable],
        examples: [
            Example("purser master-key rotate", "make a new vault key"),
            Example(
                "purser master-key rotate --forget-unreadable",
                "end a rotation although some keys are lost"),
        ],
        statuses: [
            NamedStatus(65, "keys are missing or do not open, so the old vault key is kept too")
        ],
        needs: .key, isAct: true, run: run)

    static func run(_ invocation: Invocation) async throws {
        let unlocked = try await invocation.unlockHome(tellingOfRotation: false)
        let progress = RotationProgress(invocation.context)
        defer { progress.clear() }
        let rotated = try await unlocked.home.rotateMasterKey(
            vault: unlocked.vault, forgetting: invocation.isSet(forgetUnreadable),
            progress: { progress.show($0, of: $1) },
            damaged: { invocation.log($0) })
        progress.clear()
        if let generation = rotated.completed {
            invocation.warn(
                "the rotation to generation \(generation) had finished, but for its entry in the "
                    + "ledger, which was written now")
        }
        tell(rotated, invocation)
        let report = MasterKeyRotationReport(rotated)
        guard !rotated.isFinished else { return try invocation.print(report) }
        let held = VaultError.rotationHeld(rotated.unrenewed.count)
        guard invocation.global.json else {
            try invocation.print(report)
            throw held
        }
        throw FailureReport(held, context: invocation.context)
            .print(asJSON: true, beside: ("rotation", report))
    }

    /// Names every file that is not under the new vault key, and what to do about it.
    private static func tell(_ rotated: RotatedMasterKey, _ invocation: Invocation) {
        for key in rotated.unrenewed {
            let why = ErrorReport(key.why, reference: invocation.context.makeReference())
            invocation.warn(
                "\(key.path) is not under the new vault key: \(why.summary)",
                hint: rotated.isFinished
                    ? "it is given up: what opens it is in copies of the home from before"
                    : why.remedy)
        }
        for file in rotated.unreadable {
            invocation.warn(
                "\(file) opens under no vault key of this home and was left as it is",
                hint: "look for it in copies of the home, and open it with their master.json")
        }
        for file in rotated.strangers {
            invocation.warn(
                "\(file) has a name that no key's file has, and was left as it is",
                hint: rotated.isFinished
                    ? "if it is a key, only copies of the home from before open it: see their master.json"
                    : "if it is a key, give it back its name, and rotate again")
        }
    }
}

/// What a rotation has done.
private struct MasterKeyRotationReport: Report {
    let generation: Int
    let resumed: Bool
    let keys: Int
    let sideFiles: Int
    /// Whether the old vault key is gone.
    let finished: Bool
    /// Files that are not under the new vault key; paths below the home.
    let unreadable: [String]
    /// What is left for a person to do; each a phrase.
    let next: [String]

    init(_ rotated: RotatedMasterKey) {
        generation = rotated.rotation.generation
        resumed = rotated.rotation.isResumed
        keys = rotated.keys
        sideFiles = rotated.sideFiles
        finished = rotated.isFinished
        unreadable = rotated.unrenewed.map(\.path) + rotated.unreadable + rotated.strangers
        next = [
            rotated.isFinished
                ? "copies of the home from before hold the old vault key: make new ones"
                : "see to the files that are named, and run it again: purser master-key rotate"
        ]
    }

    func text(width: Int) -> String {
        let word =
            !finished
            ? "not finished: rotating to" : resumed ? "finished the rotation to" : "rotated to"
        let bad = unreadable.isEmpty ? "" : ", \(unreadable.count) unreadable"
        return "\(word) vault key generation \(generation): \(keys) key\(keys == 1 ? "" : "s"), "
            + "\(sideFiles) side file\(sideFiles == 1 ? "" : "s")\(bad)\n"
            + next.map { "next: \($0)\n" }.joined()
    }
}

/// One line on a terminal that tells how far a long rotation is; nothing for a short one.
private final class RotationProgress: Sendable {
    private let context: Context
    private let shown = Locked<(at: ContinuousClock.Instant, isThere: Bool)>(
        (ContinuousClock.now.advanced(by: .seconds(1)), false))

    init(_ context: Context) {
        self.context = context
    }

    func show(_ done: Int, of total: Int) {
        guard context.terminal.errorsIsTerminal else { return }
        let now = ContinuousClock.now
        let isDue = shown.withLock { shown in
            guard now >= shown.at else { return false }
            shown = (now.advanced(by: .milliseconds(200)), true)
            return true
        }
        if isDue { write("\r\(done) of \(total) files are under the new vault key") }
    }

    /// Takes the line away again.
    func clear() {
        let wasThere = shown.withLock { shown in
            defer { shown.isThere = false }
            return shown.isThere
        }
        if wasThere { write("\r\u{1B}[K") }
    }

    private func write(_ text: String) {
        try? context.errors.write(Array(text.utf8))
    }
}
