package import Merchants
package import Problems

/// One way to tell people: by mail, by a webhook.
package protocol AlertChannel: Sendable {
    /// What the names of its receivers begin with, before a colon: `mail`, `webhook`.
    var sort: String { get }

    /// The most that one call of ``tell(_:to:)`` takes at once.
    var batch: Int { get }

    /// Why nobody can be told by it as it is set up; nil where that can be tried.
    var fault: (any Explained)? { get }

    /// Who is to hear of this alert, by name; `owners` are those of its merchant.
    func receivers(of alert: Alert, owners: [String]) -> [String]

    /// Tells a receiver, and returns when it has taken all of it, and only then.
    ///
    /// - Throws: ``Untold``; what may have arrived is told again then.
    func tell(_ tidings: [Tiding], to receiver: String) async throws(Untold)

    /// A run is over: connections may be closed.
    func close() async
}

extension AlertChannel {
    package var fault: (any Explained)? { nil }

    package func close() async {}
}

/// Why a receiver could not be told.
package struct Untold: Error, Sendable {
    package let why: any Explained
    /// Whether other receivers of the channel would meet the same, so that trying them is in vain.
    package let concernsChannel: Bool
    /// Whether the run was stopped, so that it is nobody's failure.
    package let isCancelled: Bool

    package init(_ why: any Explained, concernsChannel: Bool, isCancelled: Bool = false) {
        self.why = why
        self.concernsChannel = concernsChannel
        self.isCancelled = isCancelled
    }
}
