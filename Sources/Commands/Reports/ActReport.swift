/// What an act has done to a record: whether anything is now different, in a word and as `changed`.
///
/// A script that repeats a command, and a person who mistyped one, must see the difference.
enum Outcome: String, Sendable {
    case added
    case present = "was already there"
    case removed
    case changed
    case unchanged = "was so already"
    case replaced

    var isChange: Bool { self != .present && self != .unchanged }
}

/// A record as an act has left it: its JSON object with `changed`, its line with what happened.
struct ActReport<Record: Report>: Report {
    let record: Record
    let name: String
    let outcome: Outcome

    private enum Keys: String, CodingKey { case changed }

    init(_ record: Record, _ name: String, _ outcome: Outcome) {
        (self.record, self.name, self.outcome) = (record, name, outcome)
    }

    func encode(to encoder: any Encoder) throws {
        try record.encode(to: encoder)
        var more = encoder.container(keyedBy: Keys.self)
        try more.encode(outcome.isChange, forKey: .changed)
    }

    func text(width: Int) -> String { "\(name) \(outcome.rawValue)\n" }
}
