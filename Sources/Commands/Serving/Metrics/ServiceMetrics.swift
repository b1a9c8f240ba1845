import API
import Metrics
import Transfers

/// What a running service tells of itself beside its requests, and in which order all is told.
struct ServiceMetrics: Sendable {
    static let build = Measure(
        .gauge, "purser_build_info", ["version"], "Always 1: the version that runs")
    static let ready = Measure(.gauge, "purser_ready", "Whether /readyz answers 200")
    static let pools = Measure(
        .gauge, "purser_pools", "Pools of connections, one for each identity, gateway and worker")
    static let connections = Measure(
        .gauge, "purser_pool_connections", ["state"],
        "Connections to gateways: busy with a request, being opened included, or idle")
    static let waiting = Measure(
        .gauge, "purser_pool_waiting_requests", "Requests that wait for a connection")

    /// Every measure of a scrape.
    static let all =
        [build, ready, pools, connections, waiting] + HomeMeasures.all + RequestCounters.all

    private let transfers: [TransferLoop]
    private let home: HomeMetrics
    private let readiness: @Sendable () -> Readiness

    /// `readiness` is what /readyz tells.
    init(
        transfers: [TransferLoop], home: HomeMetrics,
        readiness: @escaping @Sendable () -> Readiness
    ) {
        self.transfers = transfers
        self.home = home
        self.readiness = readiness
    }

    /// The families, but for those of the request counters.
    func families() async -> [MetricFamily] {
        var build = MetricFamily(Self.build)
        build.add([Program.version], 1)
        var census = PoolCensus()
        for loop in transfers { census += await loop.census() }
        var connections = MetricFamily(Self.connections)
        connections.add(["busy"], Int64(census.busy))
        connections.add(["idle"], Int64(census.idle))
        let own = [
            build, MetricFamily(Self.ready, readiness().reasons.isEmpty ? 1 : 0),
            MetricFamily(Self.pools, Int64(census.pools)), connections,
            MetricFamily(Self.waiting, Int64(census.waiting)),
        ]
        return own + (await home.families())
    }
}
