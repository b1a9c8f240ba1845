import TLSServer

/// The requests that come in on one connection, one after another.
struct HTTPRequests {
    private let connection: TLSConnection
    private var buffer: [UInt8] = []

    /// The longest head and the longest body that are read, in bytes.
    static let longestHead = 16_384
    static let longestBody = 262_144

    init(on connection: TLSConnection) {
        self.connection = connection
    }

    /// The next request; nil when the client leaves, or sends nothing for as long as `idle`.
    ///
    /// A client that has begun must be done within ten seconds, so that none holds a thread for ever.
    mutating func next(idle: Duration?) throws -> HTTPRequest? {
        if buffer.isEmpty {
            let deadline = idle.map { ContinuousClock.now + $0 }
            guard let first = try? connection.read(atMost: 16_384, until: deadline), !first.isEmpty
            else { return nil }
            buffer = first
        }
        let deadline = ContinuousClock.now + .seconds(10)
        while true {
            if let end = Self.endOfHead(in: buffer) {
                var request = try HTTPRequest(head: buffer[..<end])
                buffer.removeFirst(end + 4)
                try readBody(of: &request, until: deadline)
                return request
            }
            guard buffer.count <= Self.longestHead else { throw HTTPFault(431, "head too long") }
            guard try more(until: deadline) else { return nil }
        }
    }

    private mutating func readBody(
        of request: inout HTTPRequest, until deadline: ContinuousClock.Instant
    ) throws {
        guard request.contentLength <= Self.longestBody else {
            throw HTTPFault(413, "body too long")
        }
        if request.expectsContinue && buffer.isEmpty {
            try connection.write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), until: deadline)
        }
        while buffer.count < request.contentLength {
            guard try more(until: deadline) else { throw HTTPFault(400, "body cut short") }
        }
        request.body = Array(buffer[..<request.contentLength])
        buffer.removeFirst(request.contentLength)
    }

    private mutating func more(until deadline: ContinuousClock.Instant) throws -> Bool {
        let part = try connection.read(atMost: 16_384, until: deadline)
        buffer += part
        return !part.isEmpty
    }

    private static func endOfHead(in bytes: [UInt8]) -> Int? {
        var index = 3
        while index < bytes.count {
            if bytes[index] == 0x0A, bytes[index - 1] == 0x0D, bytes[index - 2] == 0x0A,
                bytes[index - 3] == 0x0D
            {
                return index - 3
            }
            index += 1
        }
        return nil
    }
}
