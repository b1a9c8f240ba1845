import Problems

/// What a command leaves behind for the shell; thrown by a verb, it ends it with that status.
///
/// Statuses follow sysexits(3). `check` alone has the monitoring convention (0 to 3): it throws its
/// result as an `CommandStatus`, and its ``Verb/failureStatus`` is 3.
struct CommandStatus: Error, Sendable, Hashable {
    let code: Int32

    init(_ code: Int32) {
        self.code = code
    }

    /// The status of a failure of this nature; the only place where it is chosen.
    init(_ nature: Nature) {
        switch nature {
        case .usage: code = 64
        case .badData, .conflict: code = 65
        case .notFound: code = 66
        case .unreachable, .timedOut, .refused, .unavailable: code = 69
        case .internalFault: code = 70
        case .cannotCreate: code = 73
        case .denied: code = 77
        case .configuration: code = 78
        }
    }

    static let success = CommandStatus(0)

    /// What the general statuses mean, for help and manual page.
    static let table: [NamedStatus] = [
        NamedStatus(0, "success"),
        NamedStatus(64, "the command line is wrong"),
        NamedStatus(65, "the data given is wrong, or the thing's state does not allow this"),
        NamedStatus(66, "no such record, or no such input file"),
        NamedStatus(69, "Apple, or the service, cannot be reached or refuses"),
        NamedStatus(70, "an internal error; standard error has its reference"),
        NamedStatus(73, "it exists already, or an output cannot be written"),
        NamedStatus(77, "a wrong key, passphrase or password, or not allowed"),
        NamedStatus(78, "the installation or its settings are wrong"),
    ]
}
