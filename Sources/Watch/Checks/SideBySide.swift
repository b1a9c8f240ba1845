/// Work on many things, some of them at once, until the time is up.
struct SideBySide: Sendable {
    let width: Int
    let deadline: ContinuousClock.Instant

    /// Calls `body` for each of `items` in their order, and gives what came of it in any order.
    ///
    /// After the deadline, or in a cancelled task, nothing new is begun: `left` says how many.
    func work<Item: Sendable, Outcome: Sendable>(
        on items: [Item], _ body: @escaping @Sendable (Item) async -> Outcome
    ) async -> (outcomes: [Outcome], left: Int) {
        await withTaskGroup(of: Outcome.self) { group in
            var rest = items[...]
            var outcomes: [Outcome] = []
            var underWay = 0
            while true {
                while underWay < width, ContinuousClock.now < deadline, !Task.isCancelled,
                    let item = rest.popFirst()
                {
                    group.addTask { await body(item) }
                    underWay += 1
                }
                guard let outcome = await group.next() else { break }
                underWay -= 1
                outcomes.append(outcome)
            }
            return (outcomes, rest.count)
        }
    }
}
