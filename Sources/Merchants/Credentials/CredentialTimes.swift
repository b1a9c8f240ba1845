package import Clocks

/// When things happened to a credential that is recorded.
package struct CredentialTimes: Sendable, Hashable {
    package let stateChangedAt: Timestamp
    /// Since when it has been `retiring`; nil in every other state.
    package let retiringSince: Timestamp?
    /// When services, or a person, went back from it to the identity before; nil once a person has
    /// put it to use again.
    package let rolledBackAt: Timestamp?
    /// When a payment token under its key was last seen here.
    package let lastTokenAt: Timestamp?

    package init(
        stateChangedAt: Timestamp, retiringSince: Timestamp? = nil,
        rolledBackAt: Timestamp? = nil, lastTokenAt: Timestamp? = nil
    ) {
        self.stateChangedAt = stateChangedAt
        self.retiringSince = retiringSince
        self.rolledBackAt = rolledBackAt
        self.lastTokenAt = lastTokenAt
    }
}
