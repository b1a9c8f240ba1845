internal import CMicroHTTPD

/// Hands `response` to libmicrohttpd, which copies it; NO when it cannot be sent.
///
/// `took` is the time from the request line to now.
func queue(
    _ response: HTTPResponse, requestID: String, took: Duration, closing: Bool,
    on connection: OpaquePointer
) -> MHD_Result {
    let created = unsafe response.body.withUnsafeBytes { bytes in
        // Copied, because the array's memory is ours only within this closure.
        unsafe MHD_create_response_from_buffer(
            bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
    }
    guard let created = unsafe created else { return .NO }
    // The queue holds a reference of its own.
    defer { unsafe MHD_destroy_response(created) }
    for (name, value) in response.headers.fields where !isServersOwn(name) {
        guard unsafe add(name, value, to: created) else { return .NO }
    }
    if response.headers["X-Request-Id"] == nil {
        guard unsafe add("X-Request-Id", requestID, to: created) else { return .NO }
    }
    if response.headers["Server-Timing"] == nil {
        let field = ServerTiming.field(total: took, response.timings)
        guard unsafe add("Server-Timing", field, to: created) else { return .NO }
    }
    if closing {
        guard unsafe add("Connection", "close", to: created) else { return .NO }
    }
    return unsafe MHD_queue_response(connection, UInt32(response.status), created)
}

/// By `withCString`, which makes no array of a short text as handing over a string does.
private func add(_ name: String, _ value: String, to response: OpaquePointer) -> Bool {
    unsafe name.withCString { name in
        unsafe value.withCString { value in
            unsafe MHD_add_response_header(response, name, value) == .YES
        }
    }
}

/// Whether a field follows from the body and the connection, and so is not the handler's to set.
private func isServersOwn(_ name: String) -> Bool {
    switch name.utf8.count {
    case 10: HTTPHeaders.isSame(name, "Connection")
    case 14: HTTPHeaders.isSame(name, "Content-Length")
    case 17: HTTPHeaders.isSame(name, "Transfer-Encoding")
    default: false
    }
}
