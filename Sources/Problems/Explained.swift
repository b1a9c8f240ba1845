/// An error that a person can act on: what happened, to which thing, and what to do next.
///
/// Each domain target has one enum that conforms. Nothing in an error is secret: `code`, `summary`
/// and `remedy` are shown to callers over HTTP and written to logs as they stand. The exit code and
/// the HTTP status are not here: `Commands` and `API` choose them from ``nature``.
package protocol Explained: Error, Sendable, CustomStringConvertible {
    /// The stable, dotted name that scripts match on, such as `vault.wrong-passphrase`.
    var code: String { get }

    /// One sentence: what happened, to which thing. Lower case, without a full stop.
    var summary: String { get }

    /// One imperative sentence, or a command to paste. Never empty.
    var remedy: String { get }

    /// Whose fault it is and of what sort, for the surfaces to map.
    var nature: Nature { get }

    /// The lower-level error behind this one, if that tells an operator more.
    var cause: (any Error)? { get }

    /// One instance of every case, so that tests and the README's table can render them all.
    static var examples: [Self] { get }
}

extension Explained {
    package var cause: (any Error)? { nil }

    /// Code and summary; safe to show to anybody.
    package var description: String { "\(code): \(summary)" }
}

/// The sort of failure, from which a surface derives its exit code (sysexits) or HTTP status.
package enum Nature: Sendable, CaseIterable {
    /// The command line or request is malformed (64; 400).
    case usage
    /// The data given is wrong: a certificate, a file, a name (65; 422).
    case badData
    /// The thing named is in a state that does not allow this (65; 409).
    case conflict
    /// There is no such record or input file (66; 404).
    case notFound
    /// The other side cannot be reached (69; 502, or 504 for a time-out).
    case unreachable
    /// The other side did not answer in time (69; 504).
    case timedOut
    /// The other side answered with a refusal (69; 502).
    case refused
    /// This process is draining or over its bounds; the same request may work later (69; 503).
    case unavailable
    /// A fault of this program or its database (70; 500).
    case internalFault
    /// It exists already, or a file cannot be created or written (73; 409).
    case cannotCreate
    /// A wrong key or password, or not allowed (77; 403).
    case denied
    /// The installation is not right: a setting, a mode, an owner (78; 500).
    case configuration
}
