/// Finds the name that somebody probably meant.
enum NearestName {
    /// The nearest of `names` to a key that was mistyped or put into the wrong section; nil when none
    /// is near.
    static func of(_ key: String, among names: [String]) -> String? {
        let key = String(key.prefix(100))
        let last = lastPart(of: key)
        if let moved = names.first(where: { lastPart(of: $0) == last }) { return moved }
        let nearest = names.map {
            (name: $0, distance: distance(key.lowercased(), $0.lowercased()))
        }
        .min { $0.distance < $1.distance }
        guard let nearest, nearest.distance <= max(2, key.count / 4) else { return nil }
        return nearest.name
    }

    private static func lastPart(of key: String) -> String {
        (key.split(separator: ".").last ?? "").lowercased()
    }

    /// Levenshtein's: single characters inserted, removed or replaced.
    private static func distance(_ one: String, _ other: String) -> Int {
        let other = Array(other)
        var row = Array(0...other.count)
        for (index, character) in one.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in other.indices {
                let replaced = diagonal + (other[column] == character ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[other.count]
    }
}
