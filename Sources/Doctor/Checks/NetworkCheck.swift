import Clocks
import Database
import Issuance
import Locks
import Merchants
import PKI
import Problems
import Registry
import Sessions
import Transfers

/// Each gateway in use answers, by TLS, with a certificate that this machine believes.
///
/// Nothing is sent but a handshake; no client certificate is shown. All gateways are looked at side
/// by side, and what takes longer than ten seconds is told as that.
enum NetworkCheck {
    static let check = Check("network", needs: [.records, .network]) { patient in
        guard case .open(let home) = patient.records else { return [] }
        let environments = try await home.database.read { transaction in
            let used = Set(
                try MerchantRecords.list(in: transaction).filter { $0.retiredAt == nil }
                    .flatMap(\.environments))
            return try Environments.list(in: transaction).filter { used.contains($0.name) }
        }
        let now = patient.clock.now
        return await withTaskGroup(of: (Int, [Symptom]).self) { group in
            for (index, environment) in environments.enumerated() {
                group.addTask {
                    let visit = await GatewayVisit.make(to: environment, within: timeLimit)
                    return (index, findings(about: environment, visit, now: now))
                }
            }
            var all = [[Symptom]](repeating: [], count: environments.count)
            for await (index, findings) in group { all[index] = findings }
            return all.flatMap { $0 }
        }
    }

    static let timeLimit = Duration.seconds(10)

    private static func findings(
        about environment: GatewayEnvironment, _ visit: GatewayVisit, now: Timestamp
    ) -> [Symptom] {
        var findings = Findings("network")
        let name = environment.name.text
        let host = environment.gateway.host
        if let omission = visit.omission {
            findings.add(
                .ok, name, "\(host) was not looked at: \(omission)",
                remedy: "ask for a session instead: purser session MERCHANT DOMAIN")
        }
        if let failure = visit.failure {
            let report = ErrorReport(failure, reference: "network")
            findings.add(
                .critical, name,
                report.summary + (visit.addresses.isEmpty ? "" : " (\(visit.route))"),
                remedy: report.remedy)
        }
        guard let peer = visit.peer else { return findings.all }
        guard let shown = peer.chain.first else {
            findings.add(
                .critical, name, "\(host) (\(visit.route)): no TLS, \(peer.failure ?? "no reason")",
                remedy: "check that nothing on the way speaks in the gateway's place")
            return findings.all
        }
        let issuer = shown.issuer.organization ?? shown.issuer.commonName ?? shown.issuer.rfc4514
        if let fault = peer.fault {
            findings.add(
                .critical, name,
                "\(host) shows a certificate of “\(issuer.prefix(40))”: \(fault.prefix(50))",
                remedy:
                    "if “\(issuer.prefix(40))” inspects your traffic, have it leave \(host) alone")
            return findings.all
        }
        // By TLS 1.2 a gateway ends it because no identity is shown here.
        let end = peer.failure.map { "ends without an identity: \($0)" } ?? peer.cipher
        let agreement = [peer.version, end].compactMap { $0 }.joined(separator: " ")
        findings.add(
            .ok, name,
            "\(host) (\(visit.route)) \(agreement), certificate of “\(issuer.prefix(40))” "
                + "until \(shown.notAfter)",
            remedy: "none is needed")
        if environment.isBuiltIn, !issuer.contains("Apple") {
            findings.add(
                .ok, name, "the issuer “\(issuer.prefix(40))” is not Apple",
                remedy: "make sure that nobody inspects the traffic on the way")
        }
        if shown.notAfter < now.adding(days: 7) {
            findings.add(
                .warning, name, "the gateway's own certificate expires on \(shown.notAfter)",
                remedy: "tell who runs it")
        }
        return findings.all
    }
}
