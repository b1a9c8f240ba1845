/// Which version of IP connections are made by.
package enum AddressFamily: Sendable, Equatable {
    /// Both at nearly the same time, and what stands first is used (RFC 8305).
    case any
    /// IPv4 alone, for networks whose IPv6 leads nowhere.
    case ipv4
    /// IPv6 alone.
    case ipv6
}
