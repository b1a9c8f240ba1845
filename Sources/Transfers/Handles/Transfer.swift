internal import CCurl

/// One easy handle and everything that libcurl reads from or writes into for it.
///
/// Used for one request after another of the same pool: only what changes is set again. Whatever
/// libcurl holds a pointer to lives here, in memory that does not move, and is freed after the
/// handle. Confined to the loop's thread.
@safe final class Transfer {
    let easy: UnsafeMutableRawPointer
    unowned let pool: Pool
    unowned let engine: TransferEngine

    /// The request under way; nil between requests.
    private(set) var submission: Submission?
    private(set) var lane: Lane?
    private(set) var began = Moment(nanoseconds: 0)
    /// What has happened to it so far, told by the callbacks.
    var progress = TransferProgress()

    /// How long the addresses of a name are used, in seconds.
    static let nameLifetime = 30

    /// The pool's, for its callbacks.
    let bodyLimit: Int
    private let material: PoolMaterial
    private let errorBuffer: UnsafeMutablePointer<CChar>
    private var holdsPermit = false
    private var permitEnd: Alarm?
    private var timeEnd: Alarm?
    private var deadline = Moment(nanoseconds: 0)
    // What the handle was last set to, and what was lent to it.
    private var url = ""
    private var isFresh = false
    private var parsedURL: OpaquePointer?
    private var headers: [HeaderField]?
    private var headerList: UnsafeMutablePointer<curl_slist>?
    private var method: TransferRequest.Method?
    private var body: PinnedBytes?

    /// - Throws: ``TransferError/internalFault(code:detail:)`` when libcurl lacks an option.
    init(pool: Pool, engine: TransferEngine, material: PoolMaterial) throws(TransferError) {
        guard let easy = unsafe curl_easy_init() else {
            throw .internalFault(code: Int(CURLE_FAILED_INIT.rawValue), detail: "no handle")
        }
        unsafe self.easy = easy
        self.pool = pool
        self.engine = engine
        self.material = material
        bodyLimit = pool.configuration.maximumResponseBytes
        unsafe errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        // All is stored: from here on deinit frees, also when this throws.
        var options = unsafe EasyOptions(easy)
        options.setConstants(pool.configuration)
        material.lend(to: &options)
        unsafe options.lend(CURLOPT_SHARE, material.share)
        unsafe options.lend(CURLOPT_ERRORBUFFER, errorBuffer)
        setCallbacks(&options)
        try options.check()
    }

    deinit {
        unsafe curl_easy_cleanup(easy)
        unsafe curl_slist_free_all(headerList)
        unsafe curl_url_cleanup(parsedURL)
        unsafe errorBuffer.deallocate()
    }

    /// What libcurl said about the failure, in its words or OpenSSL's.
    var errorText: String { unsafe String(cString: errorBuffer) }

    // MARK: - A request's life

    /// Sets the handle for a request that has `remaining` time.
    ///
    /// - Throws: ``TransferError/requestRefused(_:)``, or
    ///   ``TransferError/internalFault(code:detail:)`` when there is no memory.
    func prepare(_ submission: Submission, remaining: Duration, on lane: Lane)
        throws(TransferError)
    {
        let request = submission.request
        var options = unsafe EasyOptions(easy)
        if request.url != url || request.headers != headers {
            // What was sound for the request before is so for this one.
            try request.validate(plainHTTPAllowed: pool.configuration.allowsPlainHTTP)
        }
        if request.url != url {
            try set(request.url, &options)
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
        if request.onNewConnection != isFresh {
            isFresh = request.onNewConnection
            options.set(CURLOPT_FRESH_CONNECT, isFresh)
            // Where the last try failed, its address may be out of date: the name is looked up anew.
            options.set(CURLOPT_DNS_CACHE_TIMEOUT, isFresh ? 0 : Transfer.nameLifetime)
        }
        try options.check()
        self.submission = submission
        self.lane = lane
        began = engine.now
        progress = TransferProgress()
        setDeadline(began + remaining)
    }

    /// Ends the request at `moment` if it has not ended by then.
    ///
    /// By an alarm of ours and not by CURLOPT_TIMEOUT_MS: of many transfers that were started in one
    /// millisecond libcurl 7.88 forgets the time-outs of some, and those never end.
    private func setDeadline(_ moment: Moment) {
        deadline = moment
        let alarm =
            timeEnd
            ?? Alarm { [weak self] in
                // Alarms ring that were due together: by now this may be another request.
                guard let self, submission != nil, engine.now >= deadline else { return }
                engine.timeIsUp(self)
            }
        timeEnd = alarm
        engine.alarms.set(alarm, at: moment)
    }

    /// Gives up the request, whose caller is returned: who gets it resumes it.
    func release() -> Submission? {
        guard let submission else { return nil }
        unsafe lane?.remove(easy)
        releasePermit()
        if let timeEnd { engine.alarms.cancel(timeEnd) }
        self.submission = nil
        lane = nil
        progress = TransferProgress()
        return submission
    }

    /// Counts this transfer among those that open a connection, for half a second at most.
    ///
    /// Permits ration this thread's time. What takes longer than that waits for the network, and a
    /// gateway that does not answer must not keep others from being connected to.
    func takePermit() {
        guard !holdsPermit else { return }
        holdsPermit = true
        engine.openings += 1
        let alarm = permitEnd ?? Alarm { [weak self] in self?.releasePermit() }
        permitEnd = alarm
        engine.alarms.set(alarm, at: engine.now + .milliseconds(500))
    }

    /// It opens no connection, or has one now.
    func releasePermit() {
        guard holdsPermit else { return }
        holdsPermit = false
        engine.openings -= 1
        if let permitEnd { engine.alarms.cancel(permitEnd) }
    }

    // MARK: - Options that change

    /// Hands the URL over in pieces: libcurl would take it apart anew for each request.
    private func set(_ url: String, _ options: inout EasyOptions) throws(TransferError) {
        guard let parsed = unsafe curl_url() else {
            throw .internalFault(code: Int(CURLE_OUT_OF_MEMORY.rawValue), detail: "a URL")
        }
        let code = unsafe url.withCString { text in
            unsafe curl_url_set(parsed, CURLUPART_URL, text, 0)
        }
        guard code == CURLUE_OK else {
            unsafe curl_url_cleanup(parsed)
            throw .requestRefused("its URL cannot be read: it has no host, or a port out of range")
        }
        unsafe options.lend(CURLOPT_CURLU, UnsafeRawPointer(parsed))
        unsafe curl_url_cleanup(parsedURL)
        unsafe parsedURL = parsed
    }

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
}

extension TransferRequest.Method {
    var carriesBody: Bool {
        switch self {
        case .get, .delete: false
        case .post, .put, .patch: true
        }
    }
}
