internal import CCurl
internal import Glibc
internal import Networks

/// What libcurl has told of a request so far.
struct TransferProgress {
    /// How often libcurl was about to write the request: once, or it wants to repeat it.
    var requestsBegun = 0
    var socketsOpened = 0
    /// The last address that no connection was made to because no public server has it.
    var addressRefusal: AddressRefusal?
    var connectionReused = false
    /// Whether more came than is accepted.
    var overflowed = false
    /// Whether that was the body's fault.
    var bodyOverflowed = false
    /// Whether a socket could not be made because the process has too many files.
    var filesExhausted = false
    /// What the proxy has answered to CONNECT last; 0 without an answer, 999 where it is no status.
    var proxyStatus = 0
    /// How much the proxy has answered to CONNECT.
    var proxyBytes = 0
    /// The status line and the headers, as they came.
    var headerLines: [UInt8] = []
    var body: [UInt8] = []

    /// Adds a part of a body that is said to have `length` bytes; false when it is too long.
    mutating func takeBody(_ part: UnsafeRawBufferPointer, ofAbout length: Int, limit: Int) -> Bool
    {
        guard body.count + part.count <= limit else {
            overflowed = true
            bodyOverflowed = true
            return false
        }
        // In one piece of memory, as far as the answer has told its length.
        if body.isEmpty { body.reserveCapacity(min(max(length, part.count), limit)) }
        unsafe body.append(contentsOf: part)
        return true
    }

    /// Adds a header line; false when there is too much of them.
    mutating func takeHeader(_ line: UnsafeRawBufferPointer, limit: Int) -> Bool {
        // Each answer begins with a status line: what went before was an interim one (1xx).
        if unsafe line.first == UInt8(ascii: "H"), unsafe line.starts(with: "HTTP/".utf8) {
            headerLines.removeAll(keepingCapacity: true)
            headerLines.reserveCapacity(512)
        }
        guard headerLines.count + line.count <= limit else {
            overflowed = true
            return false
        }
        unsafe headerLines.append(contentsOf: line)
        return true
    }
}

extension Transfer {
    /// Longer header lines together are refused; Apple's are under 1 KB.
    private static let headerLimit = 65_536
    /// A longer answer to CONNECT is refused; a proxy's is a line or two.
    static let proxyLimit = 16_384

    /// Gives libcurl the functions at the end of this file.
    func setCallbacks(_ options: inout EasyOptions) {
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

    /// The transfer that `easy` belongs to.
    static func of(_ easy: UnsafeMutableRawPointer) -> Transfer? {
        unsafe transfer(purser_easy_private(easy))
    }

    /// Told when the connection is ready, before the first byte of the request is written.
    ///
    /// libcurl sends a request again by itself, up to five times, when a kept connection ends
    /// without an answer, and no option stops it. That decision is the caller's: the second time is
    /// refused, here and in `openSocket`.
    fileprivate func beginRequest() -> Bool {
        if progress.requestsBegun == 0 {
            progress.connectionReused = progress.socketsOpened == 0
        }
        progress.requestsBegun += 1
        releasePermit()
        return progress.requestsBegun == 1
    }

    fileprivate func openSocket(_ place: UnsafeMutablePointer<curl_sockaddr>) -> Int32 {
        guard progress.requestsBegun == 0, let lane else { return CURL_SOCKET_BAD }
        takePermit()
        let address = unsafe place.pointee
        if pool.refusesSpecialAddresses, let refusal = unsafe Self.refusal(of: place) {
            progress.addressRefusal = refusal
            return CURL_SOCKET_BAD
        }
        progress.socketsOpened += 1
        let type = address.socktype | Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(address.family, type, address.protocol)
        guard descriptor >= 0 else {
            progress.filesExhausted = errno == EMFILE || errno == ENFILE
            return CURL_SOCKET_BAD
        }
        engine.sockets.opened(descriptor, by: lane)
        return descriptor
    }

    /// Why no public server can be there; nil where one can.
    private static func refusal(of place: UnsafeMutablePointer<curl_sockaddr>) -> AddressRefusal? {
        // The last field is declared as a sockaddr, and is as long as `addrlen` says.
        let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) ?? 0
        let length = unsafe Int(place.pointee.addrlen)
        let bytes = unsafe UnsafeRawBufferPointer(
            start: UnsafeRawPointer(place) + offset, count: length)
        return unsafe IPAddress(family: place.pointee.family, socketAddress: bytes)?.refusal
    }

    /// The number in a status line (RFC 9112 §4); 999 where there is none.
    private static func status(in line: UnsafeRawBufferPointer) -> Int {
        let words = unsafe line.split(separator: UInt8(ascii: " "))
        let digits = unsafe words.dropFirst().first.map {
            unsafe String(decoding: $0, as: UTF8.self)
        }
        return digits.flatMap { Int($0.prefix { $0.isNumber }) } ?? 999
    }

    fileprivate func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var told = 0
        if progress.body.isEmpty {
            told = Int(unsafe purser_easy_offset(easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T))
        }
        return unsafe progress.takeBody(bytes, ofAbout: told, limit: bodyLimit)
    }

    /// Before the request has begun it is the proxy that answers, to CONNECT.
    ///
    /// A refusal ends the transfer at its first line, and what has no end at some length: libcurl 7.88
    /// would read either within one call for as long as bytes come, and this thread would do nothing
    /// else.
    fileprivate func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        if progress.requestsBegun == 0, pool.proxyHost != nil {
            progress.proxyBytes += line.count
            guard progress.proxyBytes <= Transfer.proxyLimit else { return false }
            guard unsafe line.starts(with: "HTTP/".utf8) else { return true }
            progress.proxyStatus = unsafe Self.status(in: line)
            return progress.proxyStatus / 100 <= 2
        }
        return unsafe progress.takeHeader(line, limit: Transfer.headerLimit)
    }
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
    return unsafe transfer(data)?.openSocket(address) ?? CURL_SOCKET_BAD
}

private func socketDone(_ data: UnsafeMutableRawPointer?, _ socket: Int32) -> Int32 {
    guard let data = unsafe data else { return close(socket) }
    return unsafe Unmanaged<SocketTable>.fromOpaque(data).takeUnretainedValue().closed(socket)
}
