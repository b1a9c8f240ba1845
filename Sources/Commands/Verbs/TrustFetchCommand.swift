import Database
import Issuance
import Merchants
import Transfers

/// `purser trust fetch`.
enum TrustFetchCommand {
    static let from = Option(
        "from", "URL", "where Apple's paths are looked for (default: https://www.apple.com)")
    static let certificateAuthority = Option(
        "ca", "FILE", "PEM certificates that this server must verify to (default: the system's)",
        kind: .file)
    static let proxy = Option("proxy", "URL", "the HTTP proxy to reach it through")

    static let verb = Verb(
        "trust", "fetch", summary: "get Apple's roots and intermediates from Apple, and trust them",
        discussion: [
            "The files are Apple's published ones. Whoever answers cannot have another root "
                + "trusted: each is compared with its fingerprint, and all are taken or none.",
            "Without a network, download the files elsewhere: purser help trust add names them.",
            "From a mirror of your own: --from names it, and --ca whom to believe that it is the "
                + "mirror. The fingerprints are the same.",
        ],
        options: [from, certificateAuthority, proxy],
        examples: [Example("purser trust fetch", "trust Apple's authorities")],
        needs: .home, isAct: true, run: run)

    static func run(_ invocation: Invocation) async throws {
        var downloads = AppleDownloads()
        if let site = invocation[from] {
            do throws(MerchantsError) {
                downloads.site = try GatewayAddress(site).description
            } catch .badGateway(let what) {
                throw TrustError.badSite(what)
            }
        }
        if let bundle = try await invocation.contents(of: certificateAuthority, limit: 1 << 20) {
            downloads.trust = .bundle(pem: bundle)
        }
        downloads.proxy = try invocation[proxy].map { try ProxyAddress($0).description }
        let home = try await invocation.openHome(.readWrite)
        let loop = try TransferLoop()
        let outcome: Result<AppleDownloads.Fetched, any Error>
        do {
            outcome = .success(try await downloads.fetch(on: loop))
        } catch {
            outcome = .failure(error)
        }
        await loop.shutDown()
        let fetched = try outcome.get()
        let report = TrustChangeReport(try await home.admit(fetched.certificates))
        for path in fetched.missing {
            invocation.warn(
                "Apple does not publish \(path) any more",
                hint: "get the intermediate that took its place, and: purser trust add FILE")
        }
        report.warn(invocation)
        try invocation.print(report)
    }
}
