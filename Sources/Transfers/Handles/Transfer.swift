internal import CCurl
internal import Glibc

/// One easy handle and everything that libcurl reads from or writes into for it.
///
/// Used for one request after another of the same pool: only what changes is set again. Whatever
/// libcurl holds a pointer to lives here, in memory that does not move, and is freed after the
/// handle. Confined to the loop's thread.
@safe final class Transfer {
    let easy: UnsafeMutableRawPointer
    unowned let pool: Pool
    private unowned let engine: TransferEngine
    private let material: PoolMaterial
    private let errorText: UnsafeMutablePointer<CChar>
    private var headerList: UnsafeMutablePointer<curl_slist>?
    private var body: PinnedBytes?
    // What the handle was last set to.
    private var url = ""
    private var headers: [HeaderField]?
    private var method: TransferRequest.Method?

    // The request under way
    private(set) var submission: Submission?
    private(set) var lane: Lane?
    private var began = Moment(nanoseconds: 0)
    private var requestsBegun = 0
    private var socketsOpened = 0
    private var connectionReused = false
    private var holdsPermit = false
    private var overflowed = false
    private var filesExhausted = false
    private var headerLines: [UInt8] = []
    private var received: [UInt8] = []

    /// - Throws: ``TransferError/internalFault(code:detail:)`` when libcurl lacks an option.
    init(pool: Pool, engine: TransferEngine, material: PoolMaterial) throws(TransferError) {
        guard let easy = unsafe curl_easy_init() else {
            throw .internalFault(code: Int(CURLE_FAILED_INIT.rawValue), detail: "no handle")
        }
        unsafe self.easy = easy
        self.pool = pool
        self.engine = engine
        self.material = material
        unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        // All is stored: from here on deinit frees, also when this throws.
        var options = unsafe EasyOptions(easy)
        options.setConstants(pool.configuration)
        material.lend(to: &options)
        unsafe options.lend(CURLOPT_SHARE, material.share)
        unsafe options.lend(CURLOPT_ERRORBUFFER, errorText)
        setCallbacks(&options)
        if let failure = options.failure {
            throw .internalFault(
                code: Int(failure.code.rawValue), detail: "option \(failure.option.rawValue)")
        }
    }

    deinit {
        unsafe curl_easy_cleanup(easy)
        unsafe curl_slist_free_all(headerList)
        unsafe errorText.deallocate()
    }

    /// The transfer that `easy` belongs to.
    static func of(_ easy: UnsafeMutableRawPointer) -> Transfer? {
        unsafe transfer(purser_easy_private(easy))
    }

    // MARK: - A request's life

    /// Sets the handle for a request that has `remaining` time.
    ///
    /// - Throws: ``TransferError/internalFault(code:detail:)`` when there is no memory.
    func prepare(_ submission: Submission, remaining: Duration, on lane: Lane)
        throws(TransferError)
    {
        let request = submission.request
        var options = unsafe EasyOptions(easy)
        if request.url != url {
            options.set(CURLOPT_URL, request.url)
            url = request.url
        }
        if request.method != method {
            set(request.method, &options)
            method = request.method
        }
        if request.headers != headers {
            try set(request.headers, &options)
            headers = request.headers
        }
        let body = PinnedBytes(request.body)
        if request.method.carriesBody {
            options.setSize(CURLOPT_POSTFIELDSIZE_LARGE, body.count)
            unsafe options.lend(CURLOPT_POSTFIELDS, body.start)
        }
        self.body = body
        options.set(CURLOPT_TIMEOUT_MS, max(remaining.milliseconds, 1))
        options.set(CURLOPT_FRESH_CONNECT, request.onNewConnection)
        if let failure = options.failure {
            throw .internalFault(
                code: Int(failure.code.rawValue), detail: "option \(failure.option.rawValue)")
        }
        self.submission = submission
        self.lane = lane
        began = engine.now
        requestsBegun = 0
        socketsOpened = 0
        connectionReused = false
        overflowed = false
        filesExhausted = false
    }

    /// Counts this transfer among those that open a connection.
    func takePermit() {
        guard !holdsPermit else { return }
        holdsPermit = true
        engine.openings += 1
    }

    /// Gives up the request, whose caller is returned: who gets it resumes it.
    func release() -> Submission? {
        guard let submission else { return nil }
        unsafe lane?.remove(easy)
        releasePermit()
        self.submission = nil
        lane = nil
        headerLines = []
        received = []
        return submission
    }

    /// What became of the transfer that libcurl ended with `code`.
    func outcome(_ code: CURLcode) -> Result<TransferResponse, TransferError> {
        guard code == CURLE_OK else { return .failure(failure(code).meaning) }
        var timings = TransferTimings()
        if let submission { timings.waited = max(began - submission.submitted, .zero) }
        timings.total = time(CURLINFO_TOTAL_TIME_T)
        if !connectionReused {
            let (name, connected, agreed) = (
                time(CURLINFO_NAMELOOKUP_TIME_T), time(CURLINFO_CONNECT_TIME_T),
                time(CURLINFO_APPCONNECT_TIME_T)
            )
            timings.nameLookup = name
            timings.connect = max(connected - name, .zero)
            timings.handshake = max(agreed - connected, .zero)
        }
        return .success(
            TransferResponse(
                status: unsafe purser_easy_long(easy, CURLINFO_RESPONSE_CODE),
                headerLines: headerLines, body: received, connectionReused: connectionReused,
                localPort: unsafe purser_easy_long(easy, CURLINFO_LOCAL_PORT), timings: timings))
    }

    private func failure(_ code: CURLcode) -> FailedTransfer {
        var stage = ConnectStage.nameLookup
        if socketsOpened > 0 {
            // Counted when TCP has connected; the times are only written when TLS has agreed too.
            let connected = unsafe purser_easy_long(easy, CURLINFO_NUM_CONNECTS) > 0
            stage = connected ? .handshake : .connecting
        }
        return FailedTransfer(
            code: code, text: unsafe String(cString: errorText),
            host: submission?.request.authority ?? "", proxy: pool.proxyHost,
            systemError: Int32(unsafe purser_easy_long(easy, CURLINFO_OS_ERRNO)),
            proxyStatus: unsafe purser_easy_long(easy, CURLINFO_HTTP_CONNECTCODE),
            requestBegun: requestsBegun > 0, connectionReused: connectionReused,
            answerBegun: !headerLines.isEmpty, overflowed: overflowed,
            responseLimit: pool.configuration.maximumResponseBytes,
            filesExhausted: filesExhausted || !canOpenAFile(), stage: stage)
    }

    private func time(_ info: CURLINFO) -> Duration {
        .microseconds(unsafe purser_easy_offset(easy, info))
    }

    private func releasePermit() {
        guard holdsPermit else { return }
        holdsPermit = false
        engine.openings -= 1
    }

    // MARK: - Options that change

    private func set(_ method: TransferRequest.Method, _ options: inout EasyOptions) {
        options.set(method.carriesBody ? CURLOPT_POST : CURLOPT_HTTPGET, true)
        options.set(
            CURLOPT_CUSTOMREQUEST, method == .get || method == .post ? nil : method.rawValue)
    }

    private func set(_ headers: [HeaderField], _ options: inout EasyOptions) throws(TransferError) {
        // A name and a colon alone keep libcurl's own header away: no question whether to go on
        // (`Expect`), and no content type that the caller did not give.
        var lines = ["Expect:"]
        if !headers.contains(where: { $0.isNamed("Content-Type") }) {
            lines.append("Content-Type:")
        }
        lines += headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            guard let longer = unsafe curl_slist_append(list, line) else {
                unsafe curl_slist_free_all(list)
                throw .internalFault(code: Int(CURLE_OUT_OF_MEMORY.rawValue), detail: "a header")
            }
            unsafe list = longer
        }
        unsafe options.lend(CURLOPT_HTTPHEADER, list: list)
        unsafe curl_slist_free_all(headerList)
        unsafe headerList = list
    }

    private func setCallbacks(_ options: inout EasyOptions) {
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        let table = unsafe Unmanaged.passUnretained(engine.sockets).toOpaque()
        unsafe options.lend(CURLOPT_PRIVATE, me)
        unsafe options.lend(CURLOPT_WRITEDATA, me)
        unsafe options.lend(CURLOPT_HEADERDATA, me)
        unsafe options.lend(CURLOPT_PREREQDATA, me)
        unsafe options.lend(CURLOPT_OPENSOCKETDATA, me)
        // A connection outlives the transfer that opened it, so it is closed through the table.
        unsafe options.lend(CURLOPT_CLOSESOCKETDATA, table)
        options.note(
            CURLOPT_WRITEFUNCTION,
            unsafe purser_easy_set_receiver(easy, CURLOPT_WRITEFUNCTION, bodyCame))
        options.note(
            CURLOPT_HEADERFUNCTION,
            unsafe purser_easy_set_receiver(easy, CURLOPT_HEADERFUNCTION, headerCame))
        options.note(
            CURLOPT_PREREQFUNCTION, unsafe purser_easy_set_prerequest(easy, requestBegins))
        options.note(
            CURLOPT_OPENSOCKETFUNCTION, unsafe purser_easy_set_opensocket(easy, socketWanted))
        options.note(
            CURLOPT_CLOSESOCKETFUNCTION, unsafe purser_easy_set_closesocket(easy, socketDone))
    }

    // MARK: - What libcurl tells

    /// Told when the connection is ready, before the first byte of the request is written.
    ///
    /// libcurl sends a request again by itself, up to five times, when a kept connection ends
    /// without an answer, and no option stops it. That decision is the caller's: the second time is
    /// refused, here and in `openSocket`.
    fileprivate func beginRequest() -> Bool {
        if requestsBegun == 0 { connectionReused = socketsOpened == 0 }
        requestsBegun += 1
        releasePermit()
        return requestsBegun == 1
    }

    fileprivate func openSocket(_ address: curl_sockaddr) -> Int32 {
        guard requestsBegun == 0, let lane else { return CURL_SOCKET_BAD }
        takePermit()
        socketsOpened += 1
        let type = address.socktype | Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(address.family, type, address.protocol)
        guard descriptor >= 0 else {
            filesExhausted = errno == EMFILE || errno == ENFILE
            return CURL_SOCKET_BAD
        }
        engine.sockets.opened(descriptor, by: lane)
        return descriptor
    }

    fileprivate func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard received.count + bytes.count <= pool.configuration.maximumResponseBytes else {
            overflowed = true
            return false
        }
        unsafe received.append(contentsOf: bytes)
        return true
    }

    fileprivate func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        // Each answer begins with a status line: what went before was an interim one (1xx).
        if unsafe line.starts(with: "HTTP/".utf8) { headerLines.removeAll(keepingCapacity: true) }
        guard headerLines.count + line.count <= 65_536 else {
            overflowed = true
            return false
        }
        unsafe headerLines.append(contentsOf: line)
        return true
    }
}

extension TransferRequest.Method {
    var carriesBody: Bool {
        switch self {
        case .get, .delete: false
        case .post, .put, .patch: true
        }
    }
}

/// Whether this process may open another file: failures of libcurl do not say that it may not.
private func canOpenAFile() -> Bool {
    let descriptor = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return errno != EMFILE && errno != ENFILE }
    close(descriptor)
    return true
}

// MARK: - Functions for libcurl

private func transfer(_ data: UnsafeMutableRawPointer?) -> Transfer? {
    guard let data = unsafe data else { return nil }
    return unsafe Unmanaged<Transfer>.fromOpaque(data).takeUnretainedValue()
}

private func bodyCame(
    _ start: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ data: UnsafeMutableRawPointer?
) -> Int {
    let bytes = unsafe UnsafeRawBufferPointer(start: start, count: size * count)
    return unsafe transfer(data)?.receive(bytes) == true ? bytes.count : -1
}

private func headerCame(
    _ start: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ data: UnsafeMutableRawPointer?
) -> Int {
    let bytes = unsafe UnsafeRawBufferPointer(start: start, count: size * count)
    return unsafe transfer(data)?.receiveHeader(bytes) == true ? bytes.count : -1
}

private func requestBegins(
    _ data: UnsafeMutableRawPointer?, _ peer: UnsafeMutablePointer<CChar>?,
    _ local: UnsafeMutablePointer<CChar>?, _ peerPort: Int32, _ localPort: Int32
) -> Int32 {
    unsafe transfer(data)?.beginRequest() == true ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}

private func socketWanted(
    _ data: UnsafeMutableRawPointer?, _ purpose: curlsocktype,
    _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> Int32 {
    guard let address = unsafe address else { return CURL_SOCKET_BAD }
    return unsafe transfer(data)?.openSocket(address.pointee) ?? CURL_SOCKET_BAD
}

private func socketDone(_ data: UnsafeMutableRawPointer?, _ socket: Int32) -> Int32 {
    guard let data = unsafe data else { return close(socket) }
    return unsafe Unmanaged<SocketTable>.fromOpaque(data).takeUnretainedValue().closed(socket)
}
