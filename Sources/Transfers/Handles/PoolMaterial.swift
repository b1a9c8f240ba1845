internal import CCurl
internal import Secrets

/// What all easy handles of a pool have in common: bytes lent to libcurl, and the share of the
/// pool's TLS sessions.
///
/// Made when the pool sends its first request, and kept until the pool is closed: a session of a
/// connection that ended long ago still saves half of the next handshake.
@safe final class PoolMaterial {
    let share: UnsafeMutableRawPointer
    private let certificate: PinnedBytes?
    private let key: SecretBytes?
    private let roots: PinnedBytes?
    private let systemTrust: SystemTrust

    /// - Throws: ``TransferError/internalFault(code:detail:)`` when there is no memory.
    init(_ configuration: PoolConfiguration) throws(TransferError) {
        certificate = configuration.identity.map { PinnedBytes($0.certificateChainPEM) }
        key = configuration.identity?.privateKeyPEM
        if case .bundle(let pem) = configuration.trust {
            roots = PinnedBytes(pem)
        } else {
            roots = nil
        }
        systemTrust = configuration.systemTrust
        // Without CURL_LOCK_DATA_CONNECT: a connection stays in the multi that opened it. Without
        // lock functions: one thread uses the share.
        guard let share = unsafe curl_share_init() else {
            throw .internalFault(code: Int(CURLE_OUT_OF_MEMORY.rawValue), detail: "no share")
        }
        unsafe self.share = share
        guard unsafe purser_share_tls_sessions(share) == CURLSHE_OK else {
            throw .internalFault(code: Int(CURLE_NOT_BUILT_IN.rawValue), detail: "no TLS sessions")
        }
    }

    deinit {
        // Refused while an easy handle uses it, so those are freed before: Transfer keeps this alive.
        unsafe curl_share_cleanup(share)
    }

    /// Gives libcurl the identity and the roots, in our memory.
    ///
    /// As blobs and never through CURLOPT_SSL_CTX_FUNCTION: libcurl compares blobs when it looks for
    /// a connection or a TLS session to use again, and cannot see what a callback would do.
    func lend(to options: inout EasyOptions) {
        if let certificate, let key {
            options.set(CURLOPT_SSLCERTTYPE, "PEM")
            options.set(CURLOPT_SSLKEYTYPE, "PEM")
            unsafe options.lendBlob(
                CURLOPT_SSLCERT_BLOB, certificate.start, count: certificate.count)
            unsafe key.withUnsafeBytes { bytes in
                // The mapping does not move, and `key` holds it for as long as this object lives:
                // the pointer may outlive the closure.
                if let start = bytes.baseAddress {
                    unsafe options.lendBlob(CURLOPT_SSLKEY_BLOB, start, count: bytes.count)
                }
            }
        }
        // Both have built-in defaults on Debian, and a folder beside a file defeats libcurl's cache.
        options.set(CURLOPT_CAINFO, nil)
        options.set(CURLOPT_CAPATH, nil)
        if let roots {
            unsafe options.lendBlob(CURLOPT_CAINFO_BLOB, roots.start, count: roots.count)
        } else {
            systemTrust.apply(CURLOPT_CAINFO, CURLOPT_CAPATH, to: &options)
        }
        // An https:// proxy is no server of ours: it is always checked by the machine's roots.
        options.set(CURLOPT_PROXY_CAINFO, nil)
        options.set(CURLOPT_PROXY_CAPATH, nil)
        systemTrust.apply(CURLOPT_PROXY_CAINFO, CURLOPT_PROXY_CAPATH, to: &options)
    }
}

extension SystemTrust {
    /// Sets one of two options: where the roots are.
    func apply(
        _ file: CURLoption, _ folder: CURLoption, to options: inout EasyOptions
    ) {
        switch self {
        case .file(let path): options.set(file, path)
        case .folder(let path): options.set(folder, path)
        }
    }
}
