internal import COpenSSL

/// Who answers on a connection by TLS, trusted or not: for finding out what stands in the way.
///
/// Nothing is sent but the handshake, no client certificate is shown, and whoever it is, is told.
/// Never used for anything that carries data: that is the business of Transfers, which trusts first.
package struct TLSPeer: Sendable {
    /// Whom the machine would believe.
    package enum Roots: Sendable {
        /// One file for each root, found by the hash of its subject.
        case folder(String)
        /// All roots in one file.
        case file(String)
        /// PEM, one after the other.
        case pem([UInt8])
    }

    /// Such as `TLSv1.3`; nil where there was no agreement.
    package let version: String?
    /// OpenSSL's or IANA's name; nil where there was no agreement.
    package let cipher: String?
    /// What the server has shown, its own first; empty where it came to nothing.
    package let chain: [Certificate]
    /// Why the chain is not trusted, or is not for this host, in OpenSSL's words; nil where it is.
    package let fault: String?
    /// Why the handshake did not end well, in OpenSSL's words; nil where it did.
    ///
    /// A server that demands a client certificate refuses here by TLS 1.2, and later by TLS 1.3.
    package let failure: String?

    /// Shakes hands on a connected socket, which stays open and must have time-outs of its own.
    ///
    /// Blocks its thread for as long as they allow.
    ///
    /// - Throws: ``PKIError`` where TLS cannot be prepared or the roots cannot be read.
    package init(on descriptor: Int32, host: String, roots: Roots) throws(PKIError) {
        OpenSSLReasons.forget()
        defer { OpenSSLReasons.forget() }
        guard let context = unsafe SSL_CTX_new(TLS_client_method()) else {
            throw .library("prepare TLS", .drain())
        }
        defer { unsafe SSL_CTX_free(context) }
        guard unsafe purser_tls_set_versions(context, TLS1_2_VERSION, TLS1_3_VERSION) == 1 else {
            throw .library("prepare TLS", .drain())
        }
        try unsafe Self.trust(roots, in: context)
        // Noted when it comes: of a handshake that fails later, OpenSSL keeps nothing.
        let showing = Showing()
        defer { withExtendedLifetime(showing) {} }
        unsafe SSL_CTX_set_cert_verify_callback(
            context, noteChain, Unmanaged.passUnretained(showing).toOpaque())
        unsafe SSL_CTX_set_verify(context, SSL_VERIFY_NONE, nil)
        guard let tls = unsafe SSL_new(context) else { throw .library("prepare TLS", .drain()) }
        defer { unsafe SSL_free(tls) }
        guard unsafe purser_tls_expect_host(tls, host) == 1, unsafe SSL_set_fd(tls, descriptor) == 1
        else { throw .library("prepare TLS", .drain()) }
        let outcome = unsafe SSL_connect(tls)
        if outcome == 1 {
            failure = nil
        } else {
            let sort = unsafe SSL_get_error(tls, outcome)
            let reasons = OpenSSLReasons.drain().reasons
            failure =
                reasons.first
                ?? (sort == SSL_ERROR_WANT_READ || sort == SSL_ERROR_WANT_WRITE
                    ? "time ran out" : "the connection was closed")
        }
        chain = showing.chain
        fault = chain.isEmpty ? nil : showing.fault
        let agreed = unsafe SSL_get_current_cipher(tls)
        cipher = unsafe agreed.flatMap { unsafe SSL_CIPHER_get_name($0) }.map {
            unsafe String(cString: $0)
        }
        let name = unsafe chain.isEmpty ? nil : SSL_get_version(tls)
        version = unsafe name.map { unsafe String(cString: $0) }
    }

    private static func trust(_ roots: Roots, in context: OpaquePointer) throws(PKIError) {
        let isLoaded: Bool
        switch roots {
        case .folder(let path):
            isLoaded = unsafe SSL_CTX_load_verify_locations(context, nil, path) == 1
        case .file(let path):
            isLoaded = unsafe SSL_CTX_load_verify_locations(context, path, nil) == 1
        case .pem(let text):
            let store = unsafe SSL_CTX_get_cert_store(context)
            for root in try Certificate.all(inPEM: text) {
                unsafe root.withHandle { _ = unsafe X509_STORE_add_cert(store, $0) }
            }
            isLoaded = true
        }
        guard isLoaded else { throw .library("load the trusted roots", .drain()) }
    }
}

/// What the other side has shown, and what is to be said of it.
private final class Showing {
    var chain: [Certificate] = []
    var fault: String?
}

/// Judges the chain as OpenSSL would, keeps the verdict, and lets the handshake go on in any case.
private func noteChain(_ store: OpaquePointer?, _ data: UnsafeMutableRawPointer?) -> Int32 {
    guard let store = unsafe store, let data = unsafe data else { return 1 }
    let showing = unsafe Unmanaged<Showing>.fromOpaque(data).takeUnretainedValue()
    let stack = unsafe X509_STORE_CTX_get0_untrusted(store)
    showing.chain = (0..<max(0, unsafe purser_certificates_count(stack))).compactMap { index in
        unsafe purser_certificates_get0(stack, index).flatMap {
            unsafe try? Certificate(retaining: $0)
        }
    }
    guard unsafe X509_verify_cert(store) != 1 else { return 1 }
    let text = unsafe X509_verify_cert_error_string(Int(X509_STORE_CTX_get_error(store)))
    showing.fault = unsafe text.map { unsafe String(cString: $0) } ?? "not trusted"
    return 1
}
