internal import COpenSSL
internal import Clocks

/// What OpenSSL's callbacks need of, and note down about, one connection's handshake.
///
/// It hangs on the `SSL` as application data, unretained: the connection owns both, frees the `SSL`
/// first, and all callbacks run inside calls on that connection's thread.
final class HandshakeWitness {
    let context: TLSContext
    let number: UInt64
    var presentedCertificate: [UInt8]?
    var verificationProblem: String?

    init(context: TLSContext, number: UInt64) {
        self.context = context
        self.number = number
    }

    /// Makes this the witness of `session`.
    func attach(to session: OpaquePointer) -> Bool {
        unsafe SSL_set_ex_data(session, applicationData, Unmanaged.passUnretained(self).toOpaque())
            == 1
    }

    fileprivate static func of(_ session: OpaquePointer?) -> HandshakeWitness? {
        guard let data = unsafe SSL_get_ex_data(session, applicationData) else { return nil }
        return unsafe Unmanaged<HandshakeWitness>.fromOpaque(data).takeUnretainedValue()
    }
}

/// SSL_set_app_data is a macro for slot 0, which OpenSSL keeps for applications.
private let applicationData: Int32 = 0

// MARK: - Callbacks, top-level so that no actor's isolation sticks to them

/// Verifies the client's chain by the context's clock, then asks the policy.
func clientCertificateReceived(
    _ verification: OpaquePointer?, _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    let slot = SSL_get_ex_data_X509_STORE_CTX_idx()
    guard let session = unsafe X509_STORE_CTX_get_ex_data(verification, slot),
        let witness = unsafe HandshakeWitness.of(OpaquePointer(session)),
        let leaf = unsafe X509_STORE_CTX_get0_cert(verification)
    else { return 0 }
    let clients = witness.context.clients
    let certificate = unsafe encoded(leaf)
    witness.presentedCertificate = certificate
    unsafe X509_STORE_CTX_set_time(
        verification, 0, time_t(witness.context.clock.now.seconds))
    var isFine = unsafe X509_verify_cert(verification) == 1
    if isFine, let alert = clients.refusal(certificate, witness.number) {
        unsafe X509_STORE_CTX_set_error(verification, alert.verificationResult)
        witness.verificationProblem = "refused with alert \(alert.rawValue)"
        isFine = false
    } else if !isFine {
        let result = unsafe X509_STORE_CTX_get_error(verification)
        witness.verificationProblem = unsafe String(
            cString: X509_verify_cert_error_string(Int(result)))
    }
    // A failed verification leaves its reasons in the queue; what is admitted must not keep them.
    ERR_clear_error()
    return isFine || clients.demand == .requested ? 1 : 0
}

/// Refuses names that the policy does not admit (RFC 6066 §3).
func serverNameReceived(
    _ session: OpaquePointer?, _ alert: UnsafeMutablePointer<Int32>?,
    _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    guard let witness = unsafe HandshakeWitness.of(session),
        let name = unsafe SSL_get_servername(session, TLSEXT_NAMETYPE_host_name)
    else { return SSL_TLSEXT_ERR_OK }
    guard unsafe witness.context.admitsServerName(String(cString: name)) else {
        unsafe alert?.pointee = SSL_AD_UNRECOGNIZED_NAME
        return SSL_TLSEXT_ERR_ALERT_FATAL
    }
    return SSL_TLSEXT_ERR_OK
}

/// Writes into each new session on which connection it was first made, for whoever resumes it.
///
/// A session made by resuming another keeps what that one says.
func ticketIssued(_ session: OpaquePointer?, _ argument: UnsafeMutableRawPointer?) -> Int32 {
    guard let witness = unsafe HandshakeWitness.of(session),
        unsafe SSL_session_reused(session) == 0
    else { return 1 }
    let bytes = unsafe withUnsafeBytes(of: witness.number.bigEndian) { unsafe Array($0) }
    return unsafe SSL_SESSION_set1_ticket_appdata(SSL_get_session(session), bytes, bytes.count)
}

/// Begins each session's id with the number of the connection that it is made on, for whoever
/// resumes it by id: a client that does without tickets, in TLS 1.2.
///
/// The session itself cannot be written to once another connection may find it in the cache.
func sessionIdentified(
    _ session: OpaquePointer?, _ identifier: UnsafeMutablePointer<UInt8>?,
    _ length: UnsafeMutablePointer<UInt32>?
) -> Int32 {
    guard let witness = unsafe HandshakeWitness.of(session), let identifier = unsafe identifier,
        let count = unsafe length?.pointee, count >= 2 * numberLength,
        unsafe RAND_bytes(identifier, Int32(count)) == 1
    else { return 0 }
    let number = unsafe withUnsafeBytes(of: witness.number.bigEndian) { unsafe Array($0) }
    for (index, byte) in number.enumerated() { unsafe identifier[index] = byte }
    return 1
}

/// On which connection a session was first made; nil when it does not say.
func firstConnection(of session: OpaquePointer?) -> UInt64? {
    var data: UnsafeMutableRawPointer?
    var length = 0
    if unsafe SSL_SESSION_get0_ticket_appdata(session, &data, &length) == 1,
        let data = unsafe data, length == numberLength
    {
        return unsafe UInt64(bigEndian: data.loadUnaligned(as: UInt64.self))
    }
    var count: UInt32 = 0
    guard let identifier = unsafe SSL_SESSION_get_id(session, &count), count >= numberLength
    else { return nil }
    return unsafe UInt64(
        bigEndian: UnsafeRawPointer(identifier).loadUnaligned(as: UInt64.self))
}

private let numberLength = MemoryLayout<UInt64>.size
