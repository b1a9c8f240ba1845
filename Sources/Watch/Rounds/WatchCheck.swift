/// Something that the watch looks at beyond the database.
///
/// What it sees it records as observations, which the policies judge.
package protocol WatchCheck: Sendable {
    /// Looks once.
    ///
    /// - Returns: what kept it from seeing something; that never stops the round.
    func run() async -> [any Error]
}

extension NetworkChecks: WatchCheck {}
