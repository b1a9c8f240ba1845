internal import COpenSSL
internal import Glibc

/// One client, after its handshake: blocking reads and writes with deadlines.
///
/// It belongs to the thread that serves it, and is valid until the service returns. All waiting
/// ends with ``TLSServerError/stopping`` when the listener stops.
@safe package final class TLSConnection {
    /// How a connection ends.
    package enum Ending: Sendable {
        /// `close_notify`, then the end of the stream.
        case orderly
        /// The end of the stream, without a word of TLS.
        case abrupt
        /// A TCP reset.
        case reset
    }

    /// Counted from 1 by the listener.
    package let number: UInt64
    /// Set once the handshake is done.
    package private(set) var facts: TLSFacts

    private let session: OpaquePointer
    private let witness: HandshakeWitness
    private let descriptor: Int32
    private let stop: StopSignal
    private var isEstablished = false
    // After a fatal error OpenSSL wants no SSL_shutdown (its manual page).
    private var isBroken = false
    private var isEnded = false

    /// Takes over `descriptor`, which is non-blocking and closed at the end; shakes no hand yet.
    init(
        takingOwnershipOf descriptor: Int32, number: UInt64, context: TLSContext, stop: StopSignal
    ) throws(TLSServerError) {
        ERR_clear_error()
        guard let session = unsafe context.makeSession() else {
            close(descriptor)
            throw .library("SSL_new", reason: drainOpenSSLErrors())
        }
        self.number = number
        self.descriptor = descriptor
        self.stop = stop
        unsafe self.session = session
        witness = HandshakeWitness(context: context, number: number)
        facts = TLSFacts(
            version: "", cipher: "", serverName: nil, isResumed: false, sessionMadeOn: nil,
            clientCertificate: nil, verificationProblem: nil)
        guard unsafe witness.attach(to: session), unsafe SSL_set_fd(session, descriptor) == 1 else {
            throw .library("SSL_set_fd", reason: drainOpenSSLErrors())
        }
    }

    deinit {
        end(.abrupt)
        unsafe SSL_free(session)
    }

    // MARK: - Handshake

    /// Performs the server's side of the handshake.
    func shakeHands(until deadline: ContinuousClock.Instant) throws(TLSServerError) {
        try repeatedly(until: deadline) { unsafe SSL_accept(session) }
        isEstablished = true
        let certificate = unsafe SSL_get0_peer_certificate(session)
        let made = unsafe SSL_get_session(session)
        let isResumed = unsafe SSL_session_reused(session) == 1
        let result = unsafe SSL_get_verify_result(session)
        facts = unsafe TLSFacts(
            version: String(cString: SSL_get_version(session)),
            cipher: SSL_CIPHER_get_name(SSL_get_current_cipher(session)).map {
                unsafe String(cString: $0)
            } ?? "",
            serverName: serverName,
            isResumed: isResumed,
            sessionMadeOn: isResumed ? firstConnection(of: made) : number,
            clientCertificate: certificate.map { unsafe encoded($0) },
            verificationProblem: certificate == nil || result == Int(X509_V_OK)
                ? nil : String(cString: X509_verify_cert_error_string(result)))
    }

    /// What is known of a handshake that ended with `error`.
    func failure(_ error: TLSServerError) -> HandshakeFailure {
        var reason = error.summary
        if case .handshakeFailed(let text) = error { reason = text }
        if let problem = witness.verificationProblem { reason += " (\(problem))" }
        return HandshakeFailure(
            connection: number, reason: reason, serverName: serverName,
            clientCertificate: witness.presentedCertificate)
    }

    private var serverName: String? {
        unsafe SSL_get_servername(session, TLSEXT_NAMETYPE_host_name).map {
            unsafe String(cString: $0)
        }
    }

    // MARK: - Reading and writing

    /// At least one byte and at most `count`; empty at the end of the stream.
    ///
    /// - Throws: ``TLSServerError/timedOut`` at the deadline (nil: none), and the connection can
    ///   still be used; ``TLSServerError/peerLeft``; ``TLSServerError/stopping``.
    package func read(
        atMost count: Int, until deadline: ContinuousClock.Instant? = nil
    ) throws(TLSServerError) -> [UInt8] {
        guard !isEnded else { throw .peerLeft }
        var bytes = [UInt8](repeating: 0, count: count)
        var got = 0
        var isAtEnd = false
        try repeatedly(until: deadline) {
            let status = unsafe SSL_read_ex(session, &bytes, count, &got)
            if status != 1, unsafe SSL_get_error(session, status) == SSL_ERROR_ZERO_RETURN {
                isAtEnd = true
                return 1
            }
            return status
        }
        bytes.removeLast(count - (isAtEnd ? 0 : got))
        return bytes
    }

    /// Writes all of `bytes`.
    ///
    /// - Throws: ``TLSServerError/timedOut`` at the deadline (nil: none), ``TLSServerError/peerLeft``
    ///   or ``TLSServerError/stopping``; after any of them only ``end(_:)`` makes sense.
    package func write(
        _ bytes: [UInt8], until deadline: ContinuousClock.Instant? = nil
    ) throws(TLSServerError) {
        guard !isEnded else { throw .peerLeft }
        var rest = bytes[...]
        while !rest.isEmpty {
            var written = 0
            try repeatedly(until: deadline) {
                unsafe rest.withUnsafeBytes { part in
                    unsafe SSL_write_ex(session, part.baseAddress, part.count, &written)
                }
            }
            rest = rest.dropFirst(written)
        }
    }

    /// Does nothing for a while; throws ``TLSServerError/stopping`` when the listener stops.
    package func pause(for duration: Duration) throws(TLSServerError) {
        _ = try waitFor(-1, 0, until: ContinuousClock.now + duration, unless: stop)
    }

    /// Repeats a call of OpenSSL's until it no longer waits for the socket.
    private func repeatedly(
        until deadline: ContinuousClock.Instant?, _ call: () -> Int32
    ) throws(TLSServerError) {
        while true {
            ERR_clear_error()
            let status = call()
            if status == 1 { return }
            let events: Int32
            switch unsafe SSL_get_error(session, status) {
            case SSL_ERROR_WANT_READ: events = Int32(POLLIN)
            case SSL_ERROR_WANT_WRITE: events = Int32(POLLOUT)
            case SSL_ERROR_SSL where !isEstablished:
                isBroken = true
                throw .handshakeFailed(drainOpenSSLErrors())
            default:
                isBroken = true
                throw .peerLeft
            }
            guard try waitFor(descriptor, events, until: deadline, unless: stop) else {
                throw .timedOut
            }
        }
    }

    // MARK: - Ending

    /// Ends the connection; later calls do nothing.
    package func end(_ ending: Ending) {
        guard !isEnded else { return }
        isEnded = true
        switch ending {
        case .orderly:
            ERR_clear_error()
            if isEstablished && !isBroken { unsafe SSL_shutdown(session) }
            ERR_clear_error()
            drainThenClose()
        case .abrupt:
            drainThenClose()
        case .reset:
            resetAndClose(descriptor)
        }
        // Else SSL_free would take the session for a broken one and forget it.
        unsafe SSL_set_shutdown(session, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
    }

    /// Half-closes and reads what still comes for a moment: closing over unread bytes is a reset,
    /// which can destroy the answer on its way to the peer.
    private func drainThenClose() {
        shutdown(descriptor, Int32(SHUT_WR))
        let deadline = ContinuousClock.now + .milliseconds(200)
        var bin = [UInt8](repeating: 0, count: 4_096)
        while (try? waitFor(descriptor, Int32(POLLIN), until: deadline, unless: stop)) == true {
            guard unsafe recv(descriptor, &bin, bin.count, 0) > 0 else { break }
        }
        close(descriptor)
    }
}

/// Closes a socket with a TCP reset instead of an end of stream.
func resetAndClose(_ descriptor: Int32) {
    var now = linger(l_onoff: 1, l_linger: 0)
    unsafe setsockopt(
        descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    close(descriptor)
}
