package import Merchants

/// The change back from an identity that Apple refuses to the one before it, which Apple accepts.
package struct Rollback: Sendable, Hashable {
    package let merchant: MerchantIdentifier
    /// The identity in use.
    package let loser: CredentialIdentifier
    /// The retiring identity, under which sessions are still made.
    package let old: CredentialIdentifier

    package init(
        _ merchant: MerchantIdentifier, from loser: CredentialIdentifier,
        to old: CredentialIdentifier
    ) {
        self.merchant = merchant
        self.loser = loser
        self.old = old
    }
}

/// How many sessions in a row each merchant's identity was refused that the one before it then got;
/// pure.
///
/// One refusal may be Apple's mood. Ten in a row, with the old identity accepted each time, are the
/// new identity's fault, and a rollback is due.
package struct RollbackCount: Sendable {
    /// So many failures in a row make a rollback due.
    package static let limit = 10

    private struct Run {
        let rollback: Rollback
        var failures = 0
    }

    private var runs: [MerchantIdentifier: Run] = [:]

    init() {}

    /// Counts a session that `rollback`'s loser was refused and its old identity got.
    ///
    /// - Returns: whether a rollback is due by it: true once for each run.
    mutating func failed(_ rollback: Rollback) -> Bool {
        var run = runs[rollback.merchant] ?? Run(rollback: rollback)
        if run.rollback != rollback { run = Run(rollback: rollback) }
        run.failures += 1
        runs[rollback.merchant] = run
        return run.failures == Self.limit
    }

    /// Ends the run of an identity that has got a session after all.
    mutating func succeeded(_ credential: CredentialIdentifier, of merchant: MerchantIdentifier) {
        // Nearly always: nothing is counted while all goes well.
        guard !runs.isEmpty, let run = runs[merchant], run.rollback.loser == credential else {
            return
        }
        runs[merchant] = nil
    }

    /// Counts from nothing, so that a rollback that was due and could not be carried out, or was and
    /// has been undone by a person, becomes due again.
    mutating func forget(_ rollback: Rollback) {
        if runs[rollback.merchant]?.rollback == rollback { runs[rollback.merchant] = nil }
    }
}
