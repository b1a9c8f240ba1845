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

    /// The request's line and header fields, and whether their pieces lie side by side.
    ///
    /// libmicrohttpd cuts its buffer into C strings in place: the space behind the method, the colon
    /// behind a name and each byte of a line's end become NUL. A NUL that the client sent ends a
    /// string early, so that "Bearer token\0junk" reads as "Bearer token"; the gap that it leaves
    /// before the next piece is all that shows it. (Folded lines and line ends without CR leave a gap
    /// too, and may be refused as well: RFC 9112 §2.2 and §5.2.)
    func readHead(target: String) -> RequestHead {
        let versionLength = unsafe strlen(version)
        var fields = unsafe FieldReader(expected: version + versionLength + 2)
        unsafe withUnsafeMutablePointer(to: &fields) { pointer in
            _ = unsafe MHD_get_connection_values_n(connection, .HEADER_KIND, readField, pointer)
        }
        let start = unsafe method
        let isLineWhole =
            unsafe start + strlen(method) + 1 == path && path + target.utf8.count + 1 == version
        // The empty line ends the header.
        let end = unsafe start + purser_mhd_header_size(connection)
        return unsafe RequestHead(
            method: String(cString: method), target: target,
            isWhole: isLineWhole && fields.isWhole && fields.expected + 2 == end,
            isVersion10: strcmp(version, "HTTP/1.0") == 0, headers: fields.headers)
    }
}

/// Gathers header fields and checks that each begins where the one before has ended.
@unsafe private struct FieldReader {
    var headers = HTTPHeaders()
    /// Where the next name must begin: behind the CR and LF of the line before.
    var expected: UnsafePointer<CChar>
    var isWhole = true

    init(expected: UnsafePointer<CChar>) {
        unsafe self.expected = expected
        // As many as most clients send.
        unsafe headers.reserve(12)
    }
}

private func readField(
    _ reader: UnsafeMutableRawPointer?, _ kind: MHD_ValueKind, _ name: UnsafePointer<CChar>?,
    _ nameSize: Int, _ value: UnsafePointer<CChar>?, _ valueSize: Int
) -> MHD_Result {
    guard let reader = unsafe reader?.assumingMemoryBound(to: FieldReader.self),
        let name = unsafe name, let value = unsafe value
    else { return .NO }
    if unsafe name != reader.pointee.expected { unsafe reader.pointee.isWhole = false }
    unsafe reader.pointee.expected = value + valueSize + 2
    let nameText = unsafe String(
        decoding: UnsafeRawBufferPointer(start: name, count: nameSize), as: UTF8.self)
    var length = valueSize
    // White space around a value is not part of it (RFC 9112 §5.1); libmicrohttpd leaves that at the
    // end. It takes a padded transfer coding for an unknown one: so must we.
    while length > 0, unsafe isBlank(value[length - 1]),
        !HTTPHeaders.isSame(nameText, "Transfer-Encoding")
    {
        length -= 1
    }
    unsafe reader.pointee.headers.add(
        nameText,
        String(decoding: UnsafeRawBufferPointer(start: value, count: length), as: UTF8.self))
    return .YES
}

private func isBlank(_ byte: CChar) -> Bool { byte == 0x20 || byte == 0x09 }
