internal import COpenSSL
package import Clocks
internal import Secrets

/// A server's side of TLS: its identity, what it asks of clients, and its resumable sessions.
///
/// Sessions are resumed by ticket (TLS 1.2 and 1.3) and by session id (TLS 1.2), and only in the
/// context that made them. Certificates are judged by the clock given, not by the system's.
@safe package final class TLSContext: Sendable {
    // OpenSSL promises that an SSL_CTX may be shared by threads once it is set up, which it is when
    // `init` returns; its session cache and reference count lock themselves.
    private nonisolated(unsafe) let context: OpaquePointer
    let clients: ClientCertificates
    let clock: any WallClock
    let admitsServerName: @Sendable (String) -> Bool

    /// Sets up a context; it throws when the certificate, the key or the authorities are unusable.
    ///
    /// `admitsServerName` says whether a client that asks for this name (SNI) is served; one that
    /// is not gets the alert `unrecognized_name`.
    package init(
        identity: TLSIdentity, clients: ClientCertificates = .none, clock: any WallClock,
        oldest: TLSVersion = .tls12, newest: TLSVersion = .tls13,
        admitsServerName: @escaping @Sendable (String) -> Bool = { _ in true }
    ) throws(TLSServerError) {
        ERR_clear_error()
        guard let context = unsafe SSL_CTX_new(TLS_server_method()) else {
            throw .library("SSL_CTX_new", reason: drainOpenSSLErrors())
        }
        unsafe self.context = context
        self.clients = clients
        self.clock = clock
        self.admitsServerName = admitsServerName
        // Everything is stored: when this throws, deinit frees.
        try setUp(identity, from: oldest, to: newest)
    }

    deinit {
        unsafe SSL_CTX_free(context)
    }

    /// A new connection's state; the caller frees it.
    func makeSession() -> OpaquePointer? {
        unsafe SSL_new(context)
    }

    private func setUp(
        _ identity: TLSIdentity, from oldest: TLSVersion, to newest: TLSVersion
    ) throws(TLSServerError) {
        guard unsafe purser_tls_set_versions(context, oldest.number, newest.number) == 1 else {
            throw .library("the protocol versions", reason: drainOpenSSLErrors())
        }
        unsafe purser_tls_set_server_options(context)
        unsafe purser_tls_set_server_name_callback(context, serverNameReceived)
        try present(identity)
        try demand(clients)
        try keepSessions()
    }

    private func present(_ identity: TLSIdentity) throws(TLSServerError) {
        try unsafe forEachCertificate(
            in: identity.chainPEM, orThrow: TLSServerError.badCertificate
        ) { index, certificate throws(TLSServerError) in
            let status =
                index == 0
                ? unsafe SSL_CTX_use_certificate(context, certificate)
                : unsafe purser_tls_add_chain_certificate(context, certificate)
            guard status == 1 else { throw .badCertificate(drainOpenSSLErrors()) }
        }
        let key = unsafe identity.keyPEM.withUnsafeBytes { bytes in
            unsafe withReader(of: bytes) { bio in
                // Without a callback OpenSSL would ask the terminal for an encrypted key's password.
                unsafe PEM_read_bio_PrivateKey(bio, nil, noPassword, nil)
            }
        }
        guard let key = unsafe key, let key = unsafe key else {
            throw .badKey(drainOpenSSLErrors())
        }
        defer { unsafe EVP_PKEY_free(key) }
        guard unsafe SSL_CTX_use_PrivateKey(context, key) == 1 else {
            throw .badKey(drainOpenSSLErrors())
        }
    }

    private func demand(_ clients: ClientCertificates) throws(TLSServerError) {
        switch clients.demand {
        case .none:
            return
        case .requested:
            unsafe SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        case .required:
            unsafe SSL_CTX_set_verify(
                context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
        }
        unsafe SSL_CTX_set_cert_verify_callback(context, clientCertificateReceived, nil)
        let store = unsafe SSL_CTX_get_cert_store(context)
        try unsafe forEachCertificate(
            in: clients.authoritiesPEM, orThrow: TLSServerError.badAuthorities
        ) { _, authority throws(TLSServerError) in
            guard unsafe X509_STORE_add_cert(store, authority) == 1,
                unsafe SSL_CTX_add_client_CA(context, authority) == 1
            else {
                throw .badAuthorities(drainOpenSSLErrors())
            }
        }
    }

    private func keepSessions() throws(TLSServerError) {
        unsafe purser_tls_cache_sessions(context)
        // Without a context id OpenSSL fails every resumption of a client with a certificate.
        let name = Array("applesim".utf8)
        let named = unsafe SSL_CTX_set_session_id_context(context, name, UInt32(name.count))
        guard named == 1,
            unsafe SSL_CTX_set_session_ticket_cb(context, ticketIssued, nil, nil) == 1,
            unsafe SSL_CTX_set_generate_session_id(context, sessionIdentified) == 1
        else {
            throw .library("session resumption", reason: drainOpenSSLErrors())
        }
    }
}

/// Lends the certificates of a PEM text one by one; `fault` makes an error of what is wrong.
private func forEachCertificate(
    in pem: [UInt8], orThrow fault: (String) -> TLSServerError,
    _ body: (_ index: Int, OpaquePointer) throws(TLSServerError) -> Void
) throws(TLSServerError) {
    ERR_clear_error()
    let bio = unsafe BIO_new(BIO_s_mem())
    defer { unsafe BIO_free(bio) }
    guard unsafe BIO_write(bio, pem, Int32(pem.count)) == Int32(pem.count) else {
        throw fault("it is empty")
    }
    var count = 0
    while let next = unsafe PEM_read_bio_X509(bio, nil, noPassword, nil) {
        defer { unsafe X509_free(next) }
        try unsafe body(count, next)
        count += 1
    }
    // The end of the text is an error to OpenSSL ("no start line"); any other is one to us too.
    let isAtEnd = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE
    let reason = drainOpenSSLErrors()
    guard isAtEnd else { throw fault(reason) }
    guard count > 0 else { throw fault("there is no certificate in it") }
}

private func noPassword(
    _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int32, _ isWriting: Int32,
    _ argument: UnsafeMutableRawPointer?
) -> Int32 { -1 }
