import API
import Merchants
import Metrics
import Sessions
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
    static let circuits = Measure(
        .gauge, "purser_circuit_open", ["merchant", "environment", "credential"],
        "Always 1: identities that Apple refused by TLS again and again, and that are shown there but "
            + "once in some seconds; missing when there is none")

    /// Every measure of a scrape.
    static let all =
        [build, ready, pools, connections, waiting, circuits] + HomeMeasures.all
        + RequestCounters.all

    private let transfers: [TransferLoop]
    private let home: HomeMetrics
    private let circuits: @Sendable () -> [OpenCircuit]
    private let readiness: @Sendable () -> Readiness

    /// `readiness` is what /readyz tells; `circuits` what the desk does.
    init(
        transfers: [TransferLoop], home: HomeMetrics,
        circuits: @escaping @Sendable () -> [OpenCircuit],
        readiness: @escaping @Sendable () -> Readiness
    ) {
        self.transfers = transfers
        self.home = home
        self.circuits = circuits
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
        var open = MetricFamily(Self.circuits)
        for circuit in circuits() {
            open.add(
                [circuit.merchant.text, circuit.environment.text, circuit.credential.text], 1)
        }
        let own = [
            build, MetricFamily(Self.ready, readiness().reasons.isEmpty ? 1 : 0),
            MetricFamily(Self.pools, Int64(census.pools)), connections,
            MetricFamily(Self.waiting, Int64(census.waiting)), open,
        ]
        return own + (await home.families())
    }
}
