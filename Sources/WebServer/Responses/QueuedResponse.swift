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
    for (name, value) in response.headers.fields {
        guard unsafe MHD_add_response_header(created, name, value) == .YES else { return .NO }
    }
    if response.headers["X-Request-Id"] == nil {
        unsafe MHD_add_response_header(created, "X-Request-Id", requestID)
    }
    if closing { unsafe MHD_add_response_header(created, "Connection", "close") }
    return unsafe MHD_queue_response(connection, UInt32(response.status), created)
}
