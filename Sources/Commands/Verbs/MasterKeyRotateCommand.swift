import Clocks
import Issuance
import Locks
import Vault

/// `purser master-key rotate`.
enum MasterKeyRotateCommand {
    static let verb = Verb(
        "master-key", "rotate",
        summary: "make a new vault key and bring every key's file under it",
        discussion: [
            "All unlockers open the home as before. Services go on; commands that change keys wait. "
                + "Ended at any moment, it leaves nothing lost: every file opens under the old vault "
                + "key or the new one, and the same command finishes what it began.",
            "A file that opens under neither is named and left as it is: put it back from a copy of the "
                + "home from before the rotation, with the master.json of that copy, and export it there.",
        ],
        examples: [Example("purser master-key rotate", "make a new vault key")],
        needs: .key, run: run)

    static func run(_ invocation: Invocation) async throws {
        let unlocked = try await invocation.unlockHome(tellingOfRotation: false)
        let progress = RotationProgress(invocation.context)
        defer { progress.clear() }
        let rotated = try await unlocked.home.rotateMasterKey(
            vault: unlocked.vault, progress: { progress.show($0, of: $1) },
            damaged: { invocation.log($0) })
        progress.clear()
        if let generation = rotated.completed {
            invocation.warn(
                "the rotation to generation \(generation) had finished, but for its entry in the "
                    + "ledger, which was written now")
        }
        for file in rotated.unreadable {
            invocation.warn(
                "\(file) opens under no vault key of this home and was left as it is",
                hint: "look for it in copies of the home, and open it with their master.json")
        }
        try invocation.print(RotationReport(rotated))
    }
}

/// What a rotation has done.
private struct RotationReport: Report {
    let generation: Int
    let resumed: Bool
    let keys: Int
    let sideFiles: Int
    /// Paths below the home.
    let unreadable: [String]
    /// What is left for a person to do; each a phrase.
    let next: [String]

    init(_ rotated: RotatedMasterKey) {
        generation = rotated.rotation.generation
        resumed = rotated.rotation.isResumed
        keys = rotated.keys
        sideFiles = rotated.sideFiles
        unreadable = rotated.unreadable
        next = ["copies of the home from before hold the old vault key: make new ones"]
    }

    func text(width: Int) -> String {
        let word = resumed ? "finished the rotation to" : "rotated to"
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
