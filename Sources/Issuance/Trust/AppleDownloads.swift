import Merchants
package import PKI
package import Transfers

/// Apple's authorities from where Apple publishes them.
///
/// Whoever answers cannot have anything trusted: a root counts by its pinned fingerprint, and the
/// rest as it verifies to one.
package struct AppleDownloads: Sendable {
    /// Scheme, host and port that the paths are below.
    package var site = "https://www.apple.com"
    /// Whose servers are believed.
    package var trust = ServerTrust.systemBundle
    /// A proxy's URL.
    package var proxy: String?

    package init() {}

    /// What came, and which intermediates Apple does not publish there any more.
    package struct Fetched: Sendable {
        package let certificates: [Certificate]
        package let missing: [String]
    }

    /// No such certificate has more than a few kilobytes.
    private static let sizeLimit = 65_536
    private static let timeLimit = Duration.seconds(20)

    /// Downloads all of them at once, in 20 seconds at most.
    ///
    /// An intermediate that is gone is no failure: Apple replaces them.
    ///
    /// - Throws: ``TransferError``, ``TrustError/notFetched(_:)``, ``TrustError/notServed(_:status:)``,
    ///   ``TrustError/otherServed(_:expected:)``.
    package func fetch(on loop: TransferLoop) async throws -> Fetched {
        var configuration = PoolConfiguration(identity: nil, trust: trust)
        configuration.proxy = proxy
        configuration.connectTimeout = .seconds(5)
        configuration.totalTimeout = Self.timeLimit
        configuration.maximumResponseBytes = Self.sizeLimit
        let pool = loop.pool(configuration)
        defer { pool.close() }
        let paths = AppleRoot.allCases.map(\.path) + AppleRoot.intermediatePaths
        let answers = try await withThrowingTaskGroup(of: (Int, Certificate?).self) { group in
            for (index, path) in paths.enumerated() {
                group.addTask { (index, try await certificate(at: path, from: pool)) }
            }
            var answers = [Certificate?](repeating: nil, count: paths.count)
            for try await (index, certificate) in group { answers[index] = certificate }
            return answers
        }
        return Fetched(
            certificates: answers.compactMap { $0 },
            missing: zip(paths, answers).filter { $0.1 == nil }.map(\.0))
    }

    /// One of them; nil for an intermediate that is not there.
    private func certificate(
        at path: String, from pool: ConnectionPool
    ) async throws -> Certificate? {
        let root = AppleRoot.allCases.first { $0.path == path }
        let answer: TransferResponse
        do {
            answer = try await pool.send(TransferRequest(.get, site + path))
        } catch {
            switch error {
            case .nameNotResolved, .connectionRefused, .unreachable, .connectTimedOut, .proxyFailed,
                .answerTimedOut:
                throw TrustError.notFetched(error)
            default: throw error
            }
        }
        if root == nil, answer.status == 404 || answer.status == 410 { return nil }
        guard answer.status == 200 else {
            throw TrustError.notServed(path, status: answer.status)
        }
        guard
            let certificate = (try? Certificate(der: answer.body))
                ?? (try? Certificate(pem: answer.body)),
            root == nil || certificate.sha256 == root?.fingerprint
        else {
            throw TrustError.otherServed(path, expected: root?.rawValue ?? "a certificate")
        }
        return certificate
    }
}
