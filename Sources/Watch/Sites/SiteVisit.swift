import Locks
import Merchants
import PKI
import Transfers

/// Who answers at a site, by TLS: found out by a handshake of its own, because what libcurl says of a
/// certificate that it refuses is not enough to tell what to do.
struct SiteVisit: Sendable {
    /// Where the site is; nil where the connection went nowhere, or to a proxy.
    var address: String?
    var peer: TLSPeer?
    var failure: TransferError?

    /// Visits a site on a thread of its own; the resolver may take longer than anybody waits, and is
    /// left alone then.
    static func make(to site: Site, within limit: Duration) async -> SiteVisit {
        let late = SiteVisit(
            failure: .connectTimedOut(host: site.domain.text, stage: .nameLookup))
        // Before the limit, so that what was found out by then is told.
        let deadline = ContinuousClock.now + limit * 0.9
        return await onThread(named: "site", within: limit, late: late) {
            var visit = SiteVisit()
            do throws(TransferError) {
                try visit.go(to: site, until: deadline)
            } catch {
                visit.failure = error
            }
            return visit
        }
    }

    private mutating func go(
        to site: Site, until deadline: ContinuousClock.Instant
    ) throws(TransferError) {
        let host = site.domain.text
        let proxy = try? site.proxy.map { try ProxyAddress($0) }
        // A proxy that speaks TLS itself leaves only libcurl's word.
        guard proxy?.isSecure != true else { return }
        var found = try HostAddress.resolve(
            proxy?.host ?? host, port: proxy?.port ?? Self.port)
        if site.mustBePublic, proxy == nil,
            let refusal = found.lazy.compactMap(\.refusal).first
        {
            found.removeAll { $0.refusal != nil }
            guard !found.isEmpty else { throw .addressRefused(host: host, refusal) }
        }
        let connection = try HostConnection.open(
            to: found, host: proxy.map { "\($0.host):\($0.port)" } ?? host, until: deadline)
        if proxy == nil { address = connection.address.text }
        if proxy != nil { try connection.openTunnel(to: host, port: Self.port, until: deadline) }
        do throws(PKIError) {
            peer = try TLSPeer(on: connection.descriptor, host: host, roots: Self.roots(of: site))
        } catch {
            throw .trustUnusable(detail: error.summary)
        }
    }

    /// Apple asks nowhere else.
    private static let port: UInt16 = 443

    private static func roots(of site: Site) -> TLSPeer.Roots {
        if let bundle = site.roots { return .pem(Array(bundle.utf8)) }
        switch SystemTrust.ofThisMachine {
        case .folder(let path): return .folder(path)
        case .file(let path): return .file(path)
        }
    }
}

// MARK: - What it comes to

extension SiteVisit {
    /// What speaks against the site before anything is asked of it; nil where nothing does.
    var fault: (outcome: SiteOutcome, why: String)? {
        if let failure { return (.unreachable, failure.summary) }
        guard let peer else { return nil }
        guard let shown = peer.chain.first else {
            return (.noTLS, peer.failure ?? "no certificate was shown")
        }
        guard let fault = peer.fault else {
            return peer.failure.map { (.noTLS, $0) }
        }
        if fault.contains("expired") || fault.contains("not yet valid") {
            return (.outOfDate, "\(fault), valid \(shown.notBefore) to \(shown.notAfter)")
        }
        if fault.contains("mismatch") { return (.wrongName, names(of: shown)) }
        if peer.chain.count == 1, !shown.isSelfSigned {
            return (.incompleteChain, "the certificate of “\(issuer(of: shown))” is missing")
        }
        return (.untrusted, "\(fault), issued by “\(issuer(of: shown))”")
    }

    /// The site's own certificate; nil where none was shown.
    var certificate: Certificate? { peer?.chain.first }

    private func names(of certificate: Certificate) -> String {
        certificate.subject.commonName.map { "it is for \($0.prefix(60))" } ?? ""
    }

    private func issuer(of certificate: Certificate) -> String {
        let issuer = certificate.issuer
        return String((issuer.commonName ?? issuer.organization ?? issuer.rfc4514).prefix(40))
    }
}
