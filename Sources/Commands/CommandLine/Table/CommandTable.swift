/// All verbs in the order of the documents: the one table behind parser, help, completions and man.
struct CommandTable: Sendable {
    let groups: [VerbGroup]
    let verbs: [Verb]

    /// The verb with exactly these words.
    func verb(at path: [String]) -> Verb? {
        verbs.first { $0.path == path }
    }

    /// The group that these words name; nil for a verb, and for the empty path.
    func group(at path: [String]) -> VerbGroup? {
        guard path.count == 1 else { return nil }
        return groups.first { $0.name == path[0] }
    }

    /// Verbs that are shown.
    var shown: [Verb] { verbs.filter { !$0.isHidden } }

    /// The verbs of one group, shown ones only.
    func verbs(in group: VerbGroup) -> [Verb] {
        shown.filter { $0.path.count > 1 && $0.path[0] == group.name }
    }

    /// What can stand after `path`: groups and verbs with their summaries, in the table's order.
    func words(after path: [String]) -> [Word] {
        var words: [Word] = []
        for verb in shown where verb.path.count > path.count && verb.path.starts(with: path) {
            let name = verb.path[path.count]
            guard !words.contains(where: { $0.name == name }) else { continue }
            let group = verb.path.count > path.count + 1 ? self.group(at: path + [name]) : nil
            words.append(Word(name: name, summary: group?.summary ?? verb.summary))
        }
        return words
    }

    /// Whether a flag that is not a global one is a verb's, or a slip of a global one's, with a value.
    func probablyTakesValue(_ spelling: String) -> Bool {
        let global = GlobalOptions.all
        let nearest = NearestName.nearest(to: spelling, in: global.map { "--\($0.name)" })
        return (global + verbs.flatMap(\.options)).contains { option in
            let name = "--\(option.name)"
            return option.value != nil && (name == spelling || name == nearest)
        }
    }

    /// A word that may come next on the command line.
    struct Word: Sendable, Equatable {
        let name: String
        let summary: String
    }
}
