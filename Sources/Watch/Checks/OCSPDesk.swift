import Clocks
import Locks
import Merchants
import PKI
import Problems
import Transfers

/// Asks responders, by the way that a merchant's gateways are reached.
///
/// Plain HTTP will do, because answers are signed. A request tells who is on the way which
/// certificate is in use here, and nothing else.
final class OCSPDesk: Sendable {
    /// What came of asking.
    struct Word: Sendable {
        let outcome: String
        let words: String
        /// When the issuer knew it; nil where it said nothing.
        let made: Timestamp?
    }

    private struct Way: Hashable {
        let proxy: String?
        let bundle: String?
    }

    private let loop: TransferLoop
    private let timeLimit: Duration
    private let pools = Locked<[Way: ConnectionPool]>([:])

    init(loop: TransferLoop, timeLimit: Duration) {
        self.loop = loop
        self.timeLimit = timeLimit
    }

    func close() {
        for pool in pools.withLock({ $0.values.map { $0 } }) { pool.close() }
    }

    /// What the first of the certificate's addresses says that says something.
    func ask(
        about certificate: Certificate, _ issuer: Certificate,
        for environments: [GatewayEnvironment], at now: Timestamp
    ) async -> Word {
        let pool = pool(for: environments)
        var failure: (any Explained)?
        // More than two no issuer has.
        for url in certificate.ocspURLs.prefix(3) {
            do {
                let answer = try await self.answer(from: url, about: certificate, issuer, pool, now)
                return Word(
                    outcome: answer.standing.word,
                    words: "\(answer.standing.words), says \(Self.host(url))",
                    made: answer.thisUpdate)
            } catch let error as any Explained {
                failure = error
            } catch {
                continue
            }
        }
        return Word(
            outcome: "failed",
            words: "could not be asked about: \(failure?.summary ?? "it names no address")",
            made: nil)
    }

    private func answer(
        from url: String, about certificate: Certificate, _ issuer: Certificate,
        _ pool: ConnectionPool, _ now: Timestamp
    ) async throws -> OCSPAnswer {
        let query = try OCSPQuery(about: certificate, issuedBy: issuer)
        do {
            return try query.answer(in: await post(query, to: url, pool), at: now)
        } catch OCSPError.refused(let refusal)
            where refusal == .malformedRequest || refusal == .unauthorized
        {
            // Responders that have their answers ready may refuse what has a nonce (RFC 5019 §4).
            let plain = try OCSPQuery(about: certificate, issuedBy: issuer, withNonce: false)
            return try plain.answer(in: await post(plain, to: url, pool), at: now)
        }
    }

    private func post(
        _ query: OCSPQuery, to url: String, _ pool: ConnectionPool
    ) async throws -> [UInt8] {
        let request = TransferRequest(
            .post, url,
            headers: [
                HeaderField("Content-Type", OCSPQuery.contentType),
                HeaderField("Accept", OCSPQuery.answerType),
            ], body: query.der)
        let response = try await pool.send(request)
        guard response.status == 200 else {
            throw NetworkCheckError.responderAnswered(
                host: Self.host(url), status: response.status)
        }
        return response.body
    }

    /// The connections for a merchant: through the first proxy of its environments, if one has any.
    private func pool(for environments: [GatewayEnvironment]) -> ConnectionPool {
        let way = Way(
            proxy: environments.lazy.compactMap(\.proxy).first,
            bundle: environments.lazy.compactMap(\.gatewayCA).first)
        return pools.withLock { pools in
            if let pool = pools[way] { return pool }
            let bundle = way.bundle.map { ServerTrust.bundle(pem: Array($0.utf8)) }
            var configuration = PoolConfiguration(identity: nil, trust: bundle ?? .systemBundle)
            configuration.proxy = way.proxy
            configuration.allowsPlainHTTP = true
            configuration.totalTimeout = timeLimit
            configuration.maximumResponseBytes = OCSPQuery.sizeLimit
            let pool = loop.pool(configuration)
            pools[way] = pool
            return pool
        }
    }

    /// The host and port in an address, short enough for a sentence.
    private static func host(_ url: String) -> String {
        let rest = url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true)
        return String((rest.count > 1 ? rest[1] : "").prefix(60))
    }
}

extension OCSPAnswer.Standing {
    /// The word for it in `observations`.
    fileprivate var word: String {
        switch self {
        case .good: "good"
        case .revoked: "revoked"
        case .unknown: "unknown"
        }
    }

    fileprivate var words: String {
        switch self {
        case .good: "is not revoked"
        case .revoked(let at, let reason?): "was revoked at \(at) (\(reason.words))"
        case .revoked(let at, nil): "was revoked at \(at)"
        case .unknown: "is not known to its issuer"
        }
    }
}
