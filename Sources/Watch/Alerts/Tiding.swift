package import Clocks
package import Merchants
import PKI

/// What a receiver is to be told: that there is a problem, or that it is over.
package struct Tiding: Sendable, Hashable {
    package let alert: Alert
    /// Whether the problem is over.
    package let isRecovery: Bool
    /// When it was decided.
    package let at: Timestamp

    package init(_ alert: Alert, isRecovery: Bool, at now: Timestamp) {
        self.alert = alert
        self.isRecovery = isRecovery
        self.at = now
    }

    /// Stands for what is told, and stays the same when it is told again because nobody knows
    /// whether it arrived: 32 hex digits, by which a receiver can leave out what it has.
    package var id: String {
        let day = isRecovery ? nil : AlertLadder.day(of: alert, at: at)
        let words = [
            alert.id.text, isRecovery ? "over" : alert.stage.text, day.map { "\($0)" } ?? "once",
        ]
        return Hexadecimal.lowercase(
            SHA256.hash(Array(words.joined(separator: " ").utf8)).prefix(16))
    }

    /// In one line: how bad, what of, what.
    package var headline: String {
        let subject = [alert.merchant?.text, alert.kind?.rawValue].compactMap(\.self)
        let what = subject.isEmpty ? "" : subject.joined(separator: " ") + ": "
        return "\(word) \(what)\(alert.summary)"
    }

    /// The headline and what to do.
    package var text: String {
        isRecovery || alert.remedy.isEmpty ? headline : "\(headline); next: \(alert.remedy)"
    }

    private var word: String {
        if isRecovery { return "RESOLVED" }
        return switch alert.urgency {
        case .fine: "NOTICE"
        case .warning: "WARNING"
        case .critical: "CRITICAL"
        }
    }
}
