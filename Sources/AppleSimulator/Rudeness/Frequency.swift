/// How often a rude act is done.
///
/// Written `always`, `next=N` or `probability=P`, on the command line and in JSON.
package enum Frequency: Sendable, Equatable {
    case always
    /// The next so many times, then no more.
    case next(Int)
    /// Each time with this chance, from 0 to 1.
    case probability(Double)
}

extension Frequency: LosslessStringConvertible {
    package var description: String {
        switch self {
        case .always: "always"
        case .next(let count): "next=\(count)"
        case .probability(let chance): "probability=\(chance)"
        }
    }

    /// Reads the written form; nil for anything else, a negative count or a chance beyond 0 to 1.
    package init?(_ description: String) {
        let sides = description.split(separator: "=", omittingEmptySubsequences: false)
        switch (sides.first, sides.count) {
        case ("always", 1):
            self = .always
        case ("next", 2):
            guard let count = Int(sides[1]), count >= 0 else { return nil }
            self = .next(count)
        case ("probability", 2):
            guard let chance = Double(sides[1]), (0...1).contains(chance) else { return nil }
            self = .probability(chance)
        default:
            return nil
        }
    }
}

extension Frequency: Codable {
    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let read = Frequency(text) else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "write always, next=N or probability=P"))
        }
        self = read
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
