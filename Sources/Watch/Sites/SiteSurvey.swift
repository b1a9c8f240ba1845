import Clocks
package import Issuance
package import Merchants
import PKI
import Problems
import Registry
package import Transfers

/// Looks at domains' sites from outside, as Apple does before it lets a merchant use a domain.
///
/// A handshake tells who answers and how long its certificate lasts; then both names of the
/// association file are fetched. No key is needed, nothing is sent but the two requests, and no
/// redirect is followed.
package struct SiteSurvey: Sendable {
    private let home: OpenHome
    private let loop: TransferLoop
    private let each: Duration
    private let width: Int

    /// `each` is the time for a visit, and again for the two files; `width` sites are looked at at once.
    package init(home: OpenHome, loop: TransferLoop, each: Duration = .seconds(10), width: Int = 8)
    {
        self.home = home
        self.loop = loop
        self.each = each
        self.width = width
    }

    /// Looks at the sites of a merchant's domains, or of all merchants' in service, by merchant and
    /// domain; `report` is told of what cannot be read.
    ///
    /// - Throws: `RegistryError`, `DatabaseError`.
    package func looks(
        of merchant: MerchantIdentifier?, report: (any Error) -> Void
    ) async throws -> [SiteLook] {
        let sites = try await Site.list(of: merchant, in: home, report: report)
        let deadline = ContinuousClock.now + .seconds(3_600)
        return await looks(at: sites, until: deadline).looks
            .sorted { $0.site.subject < $1.site.subject }
    }

    /// Looks at `sites` in their order; after the deadline nothing new is begun.
    func looks(
        at sites: [Site], until deadline: ContinuousClock.Instant
    ) async -> (looks: [SiteLook], left: Int) {
        let survey = self
        let (looks, left) = await SideBySide(width: width, deadline: deadline)
            .work(on: sites) { await survey.look(at: $0) }
        return (looks, left)
    }

    private func look(at site: Site) async -> SiteLook {
        let visit = await SiteVisit.make(to: site, within: each)
        var paths: [SiteLook.Path] = []
        var found = visit.fault ?? (.served, "")
        if visit.fault == nil {
            paths = await files(of: site)
            found = SiteLook.judge(paths)
        }
        return SiteLook(
            site: site, outcome: found.0, why: found.1, notAfter: visit.certificate?.notAfter,
            tlsVersion: visit.peer?.version, address: visit.address, paths: paths,
            at: home.clock.now)
    }

    private func files(of site: Site) async -> [SiteLook.Path] {
        let bundle = site.roots.map { ServerTrust.bundle(pem: Array($0.utf8)) }
        var configuration = PoolConfiguration(identity: nil, trust: bundle ?? .systemBundle)
        configuration.proxy = site.proxy
        configuration.publicAddressesOnly = site.mustBePublic
        configuration.totalTimeout = each
        configuration.maximumResponseBytes = AssociationFacts.sizeLimit
        let pool = loop.pool(configuration)
        defer { pool.close() }
        var paths: [SiteLook.Path] = []
        for path in AssociationFacts.paths {
            let url = "https://\(site.domain)\(path)"
            do throws(TransferError) {
                let answer = try await pool.send(TransferRequest(.get, url))
                let (outcome, why) = site.judge(
                    answer.status, answer.body, location: answer.header("Location"))
                paths.append(
                    .init(path: path, status: answer.status, outcome: outcome, why: why))
            } catch {
                let (outcome, why) = Site.judge(error)
                paths.append(.init(path: path, status: nil, outcome: outcome, why: why))
            }
        }
        return paths
    }
}

// MARK: - Judging an answer

extension Site {
    /// What an answer for one of the paths comes to.
    func judge(_ status: Int, _ body: [UInt8], location: String?) -> (SiteOutcome, String) {
        switch status {
        case 200: break
        case 300..<400:
            let to = location.map { " to \(Self.shown($0))" } ?? ""
            return (.redirected, "HTTP \(status)\(to)")
        case 404, 410: return (.absent, "HTTP \(status)")
        default: return (.wrongStatus, "HTTP \(status)")
        }
        if let kept {
            if body == kept.bytes { return (.served, "") }
            if let other = others.first(where: { $0.bytes == body }) {
                return (.otherMerchant, other.merchant.text)
            }
        }
        let fault = fault(of: body)
        guard kept != nil else { return fault.map { (.wrongFile, $0.summary) } ?? (.served, "") }
        // What is served may be right, and what is kept may be old.
        return fault.map { (.otherBytes, $0.summary) } ?? (.otherBytes, "one that is sound")
    }

    /// Why Apple would not take these bytes for this domain; nil where it would.
    private func fault(of body: [UInt8]) -> AssociationFault? {
        do throws(AssociationFault) {
            let file = try AssociationFile(body)
            try file.facts.check(for: domain, teams: teams)
            _ = try file.verify(with: trust, realm: realm)
            return nil
        } catch {
            return error
        }
    }

    static func judge(_ error: TransferError) -> (SiteOutcome, String) {
        switch error {
        case .serverUntrusted: (.untrusted, error.summary)
        case .serverNameMismatch: (.wrongName, error.summary)
        case .handshakeFailed, .tlsAlert: (.noTLS, error.summary)
        case .answerTooLarge: (.wrongFile, error.summary)
        default: (.unreachable, error.summary)
        }
    }

    /// A stranger's header, fit for a message.
    private static func shown(_ text: String) -> String {
        String(
            text.unicodeScalars.prefix(60).map {
                $0.isASCII && $0.value > 0x20 && $0.value != 0x7F ? Character($0) : "?"
            })
    }
}
