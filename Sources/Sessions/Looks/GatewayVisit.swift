import Locks
package import Merchants
package import PKI
import Transfers

/// How far one came with a gateway.
package struct GatewayVisit: Sendable {
    /// What its name, or its proxy's, stands for.
    package var addresses: [String] = []
    /// Where the connection went, first, and the other addresses.
    package var route = ""
    package var peer: TLSPeer?
    package var failure: (any Error)?
    /// Why nobody was asked; nil where somebody was.
    package var omission: String?

    /// Visits a gateway on a thread of its own; the resolver may take longer than anybody waits, and
    /// is left alone then.
    package static func make(
        to environment: GatewayEnvironment, within limit: Duration
    ) async -> GatewayVisit {
        var late = GatewayVisit()
        late.failure = TransferError.connectTimedOut(
            host: environment.gateway.host, stage: .nameLookup)
        // Before the limit, so that what was found out by then is told.
        let deadline = ContinuousClock.now + limit - .milliseconds(500)
        return await onThread(named: "visit", within: limit, late: late) {
            var visit = GatewayVisit()
            do { try visit.go(to: environment, until: deadline) } catch { visit.failure = error }
            return visit
        }
    }

    private mutating func go(
        to environment: GatewayEnvironment, until deadline: ContinuousClock.Instant
    ) throws {
        let gateway = environment.gateway
        let proxy = try environment.proxy.map { try ProxyAddress($0) }
        guard proxy?.isSecure != true else {
            omission = "it is reached through a proxy that speaks TLS itself"
            return
        }
        let host = proxy?.host ?? gateway.host
        let found = try HostAddress.resolve(host, port: proxy?.port ?? gateway.port)
        addresses = found.map(\.text)
        if proxy == nil, environment.isBuiltIn, let refusal = found.first?.refusal,
            found.allSatisfy({ $0.refusal != nil })
        {
            throw TransferError.addressRefused(host: host, refusal)
        }
        route = addresses.prefix(4).joined(separator: ", ")
        let shown = proxy.map { "\($0.host):\($0.port)" } ?? gateway.authority
        let connection = try HostConnection.open(to: found, host: shown, until: deadline)
        route =
            proxy == nil
            ? ([connection.address.text] + addresses.filter { $0 != connection.address.text })
                .prefix(4).joined(separator: ", ")
            : "through the proxy \(connection.address.text)"
        if proxy != nil {
            try connection.openTunnel(to: gateway.host, port: gateway.port, until: deadline)
        }
        let bare =
            gateway.host.hasPrefix("[") ? String(gateway.host.dropFirst().dropLast()) : gateway.host
        peer = try TLSPeer(on: connection.descriptor, host: bare, roots: roots(environment))
    }

    private func roots(_ environment: GatewayEnvironment) -> TLSPeer.Roots {
        if let bundle = environment.gatewayCA { return .pem(Array(bundle.utf8)) }
        switch SystemTrust.ofThisMachine {
        case .folder(let path): return .folder(path)
        case .file(let path): return .file(path)
        }
    }
}

extension GatewayAddress {
    /// The host, with its port where that is not the usual one.
    fileprivate var authority: String { String(description.dropFirst("https://".count)) }
}
