import Database
import Merchants
import Metrics

/// What /metrics tells of the records, read at most once in ``rest``.
///
/// However many ask, one reading is under way at a time, on the database's own thread; no event
/// loop waits for it.
actor HomeMetrics {
    private let database: DatabaseFile
    private let windows: WindowTable
    private let rest: Duration
    private var last: (at: ContinuousClock.Instant, families: HomeFamilies)?
    private var reading: Task<[MetricFamily], Never>?

    /// `rest` is how long a reading serves; `windows` tell when a renewal is due.
    init(
        _ database: DatabaseFile, windows: WindowTable = WindowTable(),
        rest: Duration = .seconds(5)
    ) {
        self.database = database
        self.windows = windows
        self.rest = rest
    }

    /// The families; where the records cannot be read now, the one alone that says so.
    ///
    /// Old figures would pass for new ones.
    func families() async -> [MetricFamily] {
        if let last, ContinuousClock.now - last.at < rest { return last.families.all }
        if let reading { return await reading.value }
        let task = Task { await read() }
        reading = task
        defer { reading = nil }
        return await task.value
    }

    /// Takes the ledger's end for the one that counters begin with.
    func begin() async { _ = await families() }

    private func read() async -> [MetricFamily] {
        let before = last?.families
        do {
            let families = try await database.read { [windows] transaction in
                try HomeFamilies(after: before, windows: windows, in: transaction)
            }
            last = (.now, families)
            return families.all
        } catch {
            return [MetricFamily(HomeMeasures.readable, 0)]
        }
    }
}
