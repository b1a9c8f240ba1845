/// What somebody probably meant to type.
enum NearestName {
    /// The candidate with the fewest slips, if they are few for its length.
    static func nearest(to word: String, in candidates: [String]) -> String? {
        let limit = max(1, word.count / 3)
        let judged = candidates.map { ($0, distance(from: word.lowercased(), to: $0)) }
        guard let best = judged.min(by: { $0.1 < $1.1 }), best.1 <= limit else { return nil }
        return best.0
    }

    /// A whole command for words that name none: a slip in the last word, or a group left out.
    static func command(to path: [String], in table: CommandTable) -> String? {
        guard let last = path.last, path.count <= 2 else { return nil }
        let parents = Array(path.dropLast())
        let words = table.words(after: parents).map(\.name)
        if let word = nearest(to: last, in: words) {
            return ([Program.name] + parents + [word]).joined(separator: " ")
        }
        let elsewhere = table.shown.filter { $0.path.last == last }
        return elsewhere.count == 1 ? elsewhere[0].command : nil
    }

    /// Insertions, deletions, replacements and swaps of neighbours between two words (optimal
    /// string alignment).
    static func distance(from one: String, to other: String) -> Int {
        let left = Array(one.utf8)
        let right = Array(other.utf8)
        // Words of the table are short; what is longer than any of them is no slip.
        guard left.count <= 64 else { return Int.max }
        var rows = [Array(0...right.count)]
        for i in 0..<left.count {
            var row = [i + 1]
            for j in 0..<right.count {
                var cost = min(
                    rows[i][j] + (left[i] == right[j] ? 0 : 1), rows[i][j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    cost = min(cost, rows[i - 1][j - 1] + 1)
                }
                row.append(cost)
            }
            rows.append(row)
        }
        return rows[left.count][right.count]
    }
}
