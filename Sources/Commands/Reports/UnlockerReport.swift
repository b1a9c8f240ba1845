import Clocks
import Secrets
import Vault

/// One unlocker of `unlocker list`.
struct UnlockerReport: ReportRow {
    let id: String
    let kind: String
    let createdAt: String

    init(_ unlocker: UnlockerRecord) {
        id = unlocker.id
        kind = unlocker.kind.rawValue
        createdAt = unlocker.createdAt.description
    }

    static let titles = ["ID", "KIND", "CREATED"]
    var cells: [String] { [id, kind, createdAt] }
}

/// An unlocker that was added or removed.
struct UnlockerChangeReport: Report {
    let unlocker: UnlockerReport
    let done: Done
    /// The file of a key file.
    var keyFile: String?
    var isKeyFileNew = false
    /// Shown once, and kept nowhere.
    var recoveryKey: String?
    /// What is left for a person to do; each a phrase.
    let next: [String]

    enum Done: String { case added, removed }

    private enum Keys: String, CodingKey { case keyFile, isKeyFileNew, recoveryKey, next }

    func encode(to encoder: any Encoder) throws {
        try unlocker.encode(to: encoder)
        var more = encoder.container(keyedBy: Keys.self)
        if done == .added {
            try more.encode(keyFile, forKey: .keyFile)
            try more.encode(isKeyFileNew, forKey: .isKeyFileNew)
            try more.encode(recoveryKey, forKey: .recoveryKey)
        }
        try more.encode(next, forKey: .next)
    }

    func text(width: Int) -> String {
        var lines = ["\(done.rawValue) the unlocker \(unlocker.id) (\(unlocker.kind))"]
        if let keyFile { lines.append("\(isKeyFileNew ? "made" : "used") the key file \(keyFile)") }
        return lines.map { TerminalText.escaped($0) + "\n" }.joined()
            + (recoveryKey == nil ? "" : "the recovery key above opens the home from now on\n")
            + next.map { "next: \(TerminalText.escaped($0))\n" }.joined()
    }
}

extension RecoveryKey {
    /// The text that is printed once.
    var printed: String { String(decoding: text.withUnsafeBytes { Array($0) }, as: UTF8.self) }
}
