internal import CMicroHTTPD
internal import Glibc

/// The arguments of one call of libmicrohttpd's access handler; valid within that call only.
@unsafe struct DaemonCall {
    let connection: OpaquePointer
    private let path: UnsafePointer<CChar>
    private let method: UnsafePointer<CChar>
    private let version: UnsafePointer<CChar>
    private let partSize: UnsafeMutablePointer<Int>
    /// The part of the body that it brings; empty when it brings none.
    let bodyPart: UnsafeRawBufferPointer

    init(
        connection: OpaquePointer, path: UnsafePointer<CChar>, method: UnsafePointer<CChar>,
        version: UnsafePointer<CChar>, part: UnsafePointer<CChar>?,
        partSize: UnsafeMutablePointer<Int>
    ) {
        unsafe self.connection = connection
        unsafe self.path = path
        unsafe self.method = method
        unsafe self.version = version
        unsafe self.partSize = partSize
        unsafe bodyPart = UnsafeRawBufferPointer(start: part, count: partSize.pointee)
    }

    /// Tells libmicrohttpd that nothing of the part is left.
    func consumeBodyPart() {
        unsafe partSize.pointee = 0
    }

    /// The request's line and header fields, with their full lengths.
    func readHead(target: String) -> RequestHead {
        var headers = HTTPHeaders()
        unsafe withUnsafeMutablePointer(to: &headers) { pointer in
            _ = unsafe MHD_get_connection_values_n(connection, .HEADER_KIND, addField, pointer)
        }
        let methodEnd = unsafe method + strlen(method) + 1
        let targetEnd = unsafe path + target.utf8.count + 1
        return unsafe RequestHead(
            method: String(cString: method), target: target,
            isLineWhole: methodEnd == path && targetEnd == version,
            isVersion10: strcmp(version, "HTTP/1.0") == 0, headers: headers)
    }
}

// The plain lookup ends a value at its first NUL ("Bearer token\0junk" becomes "Bearer token").
private func addField(
    _ headers: UnsafeMutableRawPointer?, _ kind: MHD_ValueKind, _ name: UnsafePointer<CChar>?,
    _ nameSize: Int, _ value: UnsafePointer<CChar>?, _ valueSize: Int
) -> MHD_Result {
    guard let headers = unsafe headers?.assumingMemoryBound(to: HTTPHeaders.self) else {
        return .NO
    }
    let name = unsafe UnsafeRawBufferPointer(start: name, count: nameSize)
    let value = unsafe UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueSize)
    unsafe headers.pointee.add(
        String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
    return .YES
}
