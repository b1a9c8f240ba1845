package import Merchants

/// Who may make a call: the right-hand column of the table of calls, in one value.
package enum AccessRule: Sendable, Hashable {
    /// Anybody, from anywhere.
    case everybody
    /// Whoever calls from this machine itself (``LocalCaller``), and elsewhere a token with this role.
    case localOr(Role)
    /// A token with this role, wherever the call comes from.
    case role(Role)

    /// The role that a token needs; nil where none is asked for.
    var role: Role? {
        switch self {
        case .everybody: nil
        case .localOr(let role), .role(let role): role
        }
    }
}
