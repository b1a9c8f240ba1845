internal import CCurl
internal import Glibc
internal import Locks
internal import Secrets

/// One easy handle that speaks SMTP, and what libcurl was lent for it.
///
/// Confined to the thread of its ``MailSession``.
@safe final class MailHandle {
    private let easy: UnsafeMutableRawPointer
    private let server: MailServer
    private let roots: PinnedBytes?
    private let errorBuffer: UnsafeMutablePointer<CChar>
    private var recipients: UnsafeMutablePointer<curl_slist>?

    let line: MailLine

    // The mail under way.
    private var message: [UInt8] = []
    private var sent = 0

    /// - Throws: ``MailError/unreachable(_:)`` when libcurl lacks an option or the roots are
    ///   unusable, ``MailError/loginUnusable``.
    init(_ server: MailServer, _ line: MailLine) throws(MailError) {
        guard libraryIsStarted, let easy = unsafe curl_easy_init() else {
            throw .unreachable(.internalFault(code: 2, detail: "no handle"))
        }
        unsafe self.easy = easy
        self.server = server
        self.line = line
        if case .bundle(let pem) = server.trust {
            roots = PinnedBytes(pem)
        } else {
            roots = nil
        }
        unsafe errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        // All is stored: from here on deinit frees, also when this throws.
        var options = unsafe EasyOptions(easy)
        setRoute(&options)
        setTLS(&options)
        setCallbacks(&options)
        try setLogin(&options)
        try check(options)
    }

    deinit {
        // Says good-bye where the socket still stands.
        unsafe curl_easy_cleanup(easy)
        unsafe curl_slist_free_all(recipients)
        unsafe errorBuffer.deallocate()
    }

    /// Hands in one mail and waits for the server's word.
    ///
    /// - Throws: ``MailError``.
    func submit(_ envelope: MailEnvelope) throws(MailError) {
        message = envelope.message
        sent = 0
        unsafe errorBuffer[0] = 0
        var options = unsafe EasyOptions(easy)
        options.set(CURLOPT_MAIL_FROM, "<\(envelope.sender)>")
        guard let list = unsafe curl_slist_append(nil, "<\(envelope.recipient)>") else {
            throw .unreachable(.internalFault(code: 27, detail: "no memory"))
        }
        unsafe options.lend(CURLOPT_MAIL_RCPT, list: list)
        unsafe curl_slist_free_all(recipients)
        unsafe recipients = list
        options.setSize(CURLOPT_INFILESIZE_LARGE, message.count)
        try check(options)
        let code = unsafe curl_easy_perform(easy)
        guard code != CURLE_OK else { return }
        throw FailedMail(
            code: code, text: unsafe String(cString: errorBuffer), host: server.authority,
            recipient: envelope.recipient,
            reply: unsafe purser_easy_long(easy, CURLINFO_RESPONSE_CODE),
            isSent: sent == message.count && sent > 0,
            hasSocket: unsafe purser_easy_long(easy, CURLINFO_NUM_CONNECTS) > 0,
            systemError: Int32(unsafe purser_easy_long(easy, CURLINFO_OS_ERRNO)),
            isCancelled: line.isCut
        ).meaning
    }

    // MARK: - Options

    private func setRoute(_ options: inout EasyOptions) {
        let scheme = server.encryption == .implicit ? "smtps" : "smtp"
        options.set(CURLOPT_PROTOCOLS_STR, scheme)
        options.set(CURLOPT_URL, "\(scheme)://\(server.authority)")
        options.set(CURLOPT_PROXY, "")
        options.set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        options.set(CURLOPT_CONNECTTIMEOUT_MS, max(server.connectTimeout.milliseconds, 1))
        options.set(CURLOPT_TIMEOUT_MS, max(server.totalTimeout.milliseconds, 1))
        // What a server may take to answer one command; also the good-bye's bound.
        options.set(
            CURLOPT_SERVER_RESPONSE_TIMEOUT, max(server.totalTimeout.wholeSeconds, 1))
        options.set(CURLOPT_NOSIGNAL, true)
        options.set(CURLOPT_QUICK_EXIT, true)
        options.set(CURLOPT_UPLOAD, true)
    }

    private func setTLS(_ options: inout EasyOptions) {
        options.set(
            CURLOPT_USE_SSL,
            Int((server.encryption == .none ? CURLUSESSL_NONE : CURLUSESSL_ALL).rawValue))
        options.set(CURLOPT_SSL_VERIFYPEER, true)
        options.set(CURLOPT_SSL_VERIFYHOST, 2)
        options.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        options.set(CURLOPT_CAINFO, nil)
        options.set(CURLOPT_CAPATH, nil)
        if let roots {
            unsafe options.lendBlob(CURLOPT_CAINFO_BLOB, roots.start, count: roots.count)
        } else {
            server.systemTrust.apply(CURLOPT_CAINFO, CURLOPT_CAPATH, to: &options)
        }
    }

    /// Gives libcurl the name and the password; it makes a copy that cannot be wiped here.
    private func setLogin(_ options: inout EasyOptions) throws(MailError) {
        guard let login = server.login else { return }
        let isSafe: (UInt8) -> Bool = { $0 != 0 && $0 != 0x0A && $0 != 0x0D }
        guard login.user.utf8.allSatisfy(isSafe),
            unsafe login.password.withUnsafeBytes({ unsafe $0.allSatisfy(isSafe) })
        else { throw .loginUnusable }
        options.set(CURLOPT_USERNAME, login.user)
        // With its NUL, for C; wiped below.
        var text = unsafe login.password.withUnsafeBytes { unsafe Array($0) } + [0]
        defer { wipe(&text) }
        let code = unsafe text.withUnsafeBufferPointer { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) {
                unsafe purser_easy_set_string(easy, CURLOPT_PASSWORD, $0.baseAddress)
            }
        }
        options.note(CURLOPT_PASSWORD, code)
    }

    private func setCallbacks(_ options: inout EasyOptions) {
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe options.lend(CURLOPT_ERRORBUFFER, errorBuffer)
        unsafe options.lend(CURLOPT_READDATA, me)
        unsafe options.lend(CURLOPT_XFERINFODATA, me)
        options.set(CURLOPT_NOPROGRESS, false)
        let socket = unsafe Unmanaged.passUnretained(line).toOpaque()
        unsafe options.lend(CURLOPT_OPENSOCKETDATA, socket)
        unsafe options.lend(CURLOPT_CLOSESOCKETDATA, socket)
        options.note(
            CURLOPT_OPENSOCKETFUNCTION, unsafe purser_easy_set_opensocket(easy, socketWanted))
        options.note(
            CURLOPT_CLOSESOCKETFUNCTION, unsafe purser_easy_set_closesocket(easy, socketDone))
        options.note(CURLOPT_READFUNCTION, unsafe purser_easy_set_sender(easy, partWanted))
        options.note(CURLOPT_XFERINFOFUNCTION, unsafe purser_easy_set_progress(easy, mayGoOn))
        unsafe options.lend(CURLOPT_WRITEDATA, me)
        options.note(
            CURLOPT_WRITEFUNCTION,
            unsafe purser_easy_set_receiver(easy, CURLOPT_WRITEFUNCTION, replyCame))
    }

    private func check(_ options: EasyOptions) throws(MailError) {
        do throws(TransferError) { try options.check() } catch { throw .unreachable(error) }
    }

    // MARK: - What the callbacks ask

    fileprivate func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        let part = message[sent...].prefix(buffer.count)
        unsafe buffer.copyBytes(from: part)
        sent += part.count
        return part.count
    }

    fileprivate var mustStop: Bool { line.isCut }
}

// MARK: - Functions for libcurl

private func handle(_ data: UnsafeMutableRawPointer?) -> MailHandle? {
    guard let data = unsafe data else { return nil }
    return unsafe Unmanaged<MailHandle>.fromOpaque(data).takeUnretainedValue()
}

private func partWanted(
    _ start: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ data: UnsafeMutableRawPointer?
) -> Int {
    let buffer = unsafe UnsafeMutableRawBufferPointer(start: start, count: size * count)
    return unsafe handle(data)?.fill(buffer) ?? Int(CURL_READFUNC_ABORT)
}

private func mayGoOn(
    _ data: UnsafeMutableRawPointer?, _ toLoad: curl_off_t, _ loaded: curl_off_t,
    _ toSend: curl_off_t, _ sent: curl_off_t
) -> Int32 {
    unsafe handle(data)?.mustStop == true ? 1 : 0
}

private func line(_ data: UnsafeMutableRawPointer?) -> MailLine? {
    guard let data = unsafe data else { return nil }
    return unsafe Unmanaged<MailLine>.fromOpaque(data).takeUnretainedValue()
}

private func socketWanted(
    _ data: UnsafeMutableRawPointer?, _ purpose: curlsocktype,
    _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> Int32 {
    guard let address = unsafe address?.pointee else { return CURL_SOCKET_BAD }
    return unsafe line(data)?.open(
        family: address.family, type: address.socktype, protocol: address.protocol)
        ?? CURL_SOCKET_BAD
}

private func socketDone(_ data: UnsafeMutableRawPointer?, _ socket: Int32) -> Int32 {
    unsafe line(data)?.close(socket) ?? close(socket)
}

/// A server's reply that libcurl hands on as a body: nobody reads it, and it must not be printed.
private func replyCame(
    _ start: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ data: UnsafeMutableRawPointer?
) -> Int { size * count }
