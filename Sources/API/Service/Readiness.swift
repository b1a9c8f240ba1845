/// Whether this service can serve, for /readyz and the supervisor's status line.
package struct Readiness: Sendable, Equatable {
    /// Merchants in service.
    package var merchants: Int
    /// Why the service should get no new work: it drains, or it cannot follow the home any more
    /// and serves what it last knew. Empty when it is ready.
    package var reasons: [String]

    package init(merchants: Int, reasons: [String]) {
        self.merchants = merchants
        self.reasons = reasons
    }
}
