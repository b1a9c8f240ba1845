/// How many connections and requests the pools of a loop have at one moment.
package struct PoolCensus: Sendable, Hashable {
    /// Pools that are open: one for each credential at each gateway that was asked.
    package var pools = 0
    /// Connections that carry a request, or are being opened for one.
    package var busy = 0
    /// Connections that wait for a request.
    package var idle = 0
    /// Requests that wait for a connection.
    package var waiting = 0

    package init() {}

    /// Takes another loop's in.
    package static func += (sum: inout PoolCensus, other: PoolCensus) {
        sum.pools += other.pools
        sum.busy += other.busy
        sum.idle += other.idle
        sum.waiting += other.waiting
    }
}
