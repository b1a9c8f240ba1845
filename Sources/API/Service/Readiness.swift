/// Whether this service can serve, for /readyz and the supervisor's status line.
package struct Readiness: Sendable, Equatable {
    /// Merchants in service.
    package var merchants: Int
    /// How many of them get no session because their key cannot be opened; the log says why.
    ///
    /// The others are served, so this alone does not make a service unready.
    package var unreadable: Int
    /// Why the service should get no new work; empty when it is ready.
    ///
    /// It drains, or it cannot follow the home any more and serves what it last knew.
    package var reasons: [String]

    package init(merchants: Int, unreadable: Int, reasons: [String]) {
        self.merchants = merchants
        self.unreadable = unreadable
        self.reasons = reasons
    }
}
