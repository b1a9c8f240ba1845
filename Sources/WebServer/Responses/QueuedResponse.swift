internal import CMicroHTTPD

/// Hands `response` to libmicrohttpd, which copies it; NO when it cannot be sent.
func queue(
    _ response: HTTPResponse, requestID: String, closing: Bool, on connection: OpaquePointer
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
        guard unsafe MHD_add_response_header(created, name, value) == .YES else { return .NO }
    }
    if response.headers["X-Request-Id"] == nil {
        unsafe MHD_add_response_header(created, "X-Request-Id", requestID)
    }
    if closing { unsafe MHD_add_response_header(created, "Connection", "close") }
    return unsafe MHD_queue_response(connection, UInt32(response.status), created)
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
