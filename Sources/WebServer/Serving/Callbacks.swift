internal import CMicroHTTPD

// Called by libmicrohttpd on its own threads. Top-level functions, because a closure could inherit an
// actor's isolation and trap there.

/// A request line has been read: the request's exchange begins, retained.
func requestStarted(
    _ context: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?,
    _ connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    guard let context = unsafe context, let connection = unsafe connection,
        let socket = unsafe purser_mhd_connection_context(connection)
    else { return nil }
    let worker = unsafe Unmanaged<Worker>.fromOpaque(context).takeUnretainedValue()
    unsafe worker.wasCalled = true
    let exchange = unsafe Exchange(
        worker: worker,
        connection: Unmanaged<ClientConnection>.fromOpaque(socket).takeUnretainedValue(),
        target: target.map { unsafe String(cString: $0) } ?? "")
    return unsafe Unmanaged.passRetained(exchange).toOpaque()
}

/// The header, a part of the body, its end, or the turn after a resume.
func requestCalled(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ path: UnsafePointer<CChar>?, _ method: UnsafePointer<CChar>?,
    _ version: UnsafePointer<CChar>?, _ part: UnsafePointer<CChar>?,
    _ partSize: UnsafeMutablePointer<Int>?,
    _ request: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let context = unsafe context, let connection = unsafe connection,
        let path = unsafe path, let method = unsafe method, let version = unsafe version,
        let partSize = unsafe partSize, let opaque = unsafe request?.pointee
    else { return .NO }
    unsafe Unmanaged<Worker>.fromOpaque(context).takeUnretainedValue().wasCalled = true
    let exchange = unsafe Unmanaged<Exchange>.fromOpaque(opaque).takeUnretainedValue()
    return unsafe exchange.called(
        by: DaemonCall(
            connection: connection, path: path, method: method, version: version, part: part,
            partSize: partSize))
}

/// A request is over: its exchange is released.
func requestCompleted(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ request: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ code: MHD_RequestTerminationCode
) {
    guard let request = unsafe request, let opaque = unsafe request.pointee else { return }
    if let context = unsafe context {
        unsafe Unmanaged<Worker>.fromOpaque(context).takeUnretainedValue().wasCalled = true
    }
    unsafe request.pointee = nil
    unsafe Unmanaged<Exchange>.fromOpaque(opaque).takeRetainedValue().completed()
}

/// A connection was accepted, or is about to be closed.
func connectionChanged(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ socket: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ change: MHD_ConnectionNotificationCode
) {
    guard let context = unsafe context, let connection = unsafe connection,
        let socket = unsafe socket
    else { return }
    let worker = unsafe Unmanaged<Worker>.fromOpaque(context).takeUnretainedValue()
    unsafe worker.wasCalled = true
    let engine = worker.engine
    switch change {
    case .CONNECTION_NOTIFY_STARTED:
        let descriptor = unsafe purser_mhd_connection_descriptor(connection)
        let client = unsafe ClientConnection(
            descriptor: descriptor,
            peer: Peer(address: purser_mhd_client_address(connection), descriptor: descriptor),
            idleUntil: .now + engine.limits.idleTimeout)
        unsafe socket.pointee = Unmanaged.passRetained(client).toOpaque()
        engine.opened(client)
    case .CONNECTION_NOTIFY_CLOSED:
        guard let opaque = unsafe socket.pointee else { return }
        unsafe socket.pointee = nil
        engine.closed(unsafe Unmanaged<ClientConnection>.fromOpaque(opaque).takeRetainedValue())
    }
}

/// A line of libmicrohttpd's log.
func logged(_ context: UnsafeMutableRawPointer?, _ line: UnsafePointer<CChar>) {
    guard let context = unsafe context else { return }
    let worker = unsafe Unmanaged<Worker>.fromOpaque(context).takeUnretainedValue()
    let engine = worker.engine
    let text = unsafe String(cString: line).trimmingTrailingNewlines
    if text.contains("system resource limit") {
        unsafe worker.isOutOfFiles = true
        engine.outOfFiles()
    }
    engine.unread.noticed(text)
    engine.log(text)
}

extension String {
    fileprivate var trimmingTrailingNewlines: String {
        var text = self
        while text.last?.isNewline == true { text.removeLast() }
        return text
    }
}
