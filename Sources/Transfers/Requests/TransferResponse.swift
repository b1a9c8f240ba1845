/// A complete answer: its status, its headers and the bytes of its body as they were sent.
///
/// Every status is an answer, a redirect and a 500 too: nothing is followed and nothing is judged.
package struct TransferResponse: Sendable {
    /// The status of the final answer, from 200 to 999.
    package let status: Int
    /// The body with chunks put together, in the encoding it came in.
    package let body: [UInt8]
    /// Whether an earlier request of the same pool opened the connection.
    package let connectionReused: Bool
    /// This end's TCP port: two answers with the same one came over the same connection.
    package let localPort: Int
    /// Where the time went.
    package let timings: TransferTimings

    // The header lines as received. They are made into strings only when somebody asks: the
    // checkout's path never does.
    private let headerLines: [UInt8]

    init(
        status: Int, headerLines: [UInt8], body: [UInt8], connectionReused: Bool, localPort: Int,
        timings: TransferTimings
    ) {
        self.status = status
        self.headerLines = headerLines
        self.body = body
        self.connectionReused = connectionReused
        self.localPort = localPort
        self.timings = timings
    }

    /// All headers in the order they came; repeated ones stay separate.
    package var headers: [HeaderField] {
        headerLines.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") })
            .dropFirst()  // the status line, whose words may hold a colon
            .compactMap { line in
                guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
                let value = line[line.index(after: colon)...]
                return HeaderField(
                    String(decoding: line[..<colon], as: UTF8.self),
                    String(decoding: withoutOuterBlanks(value), as: UTF8.self))
            }
    }

    /// The value of the first header called `name`.
    package func header(_ name: String) -> String? {
        headers.first { $0.isNamed(name) }?.value
    }
}

/// How long the parts of a transfer took.
package struct TransferTimings: Sendable, Equatable {
    /// Waiting in this process for a free connection, before anything began.
    package var waited: Duration = .zero
    /// Looking up the name; zero, as the next two, on a kept connection.
    package var nameLookup: Duration = .zero
    /// Connecting by TCP, and the proxy's tunnel if there is one.
    package var connect: Duration = .zero
    /// The TLS handshake.
    package var handshake: Duration = .zero
    /// From the end of waiting to the last byte of the answer.
    package var total: Duration = .zero

    /// All zero.
    package init() {}
}

private func withoutOuterBlanks(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    var rest = bytes.drop(while: isBlank)
    while let last = rest.last, isBlank(last) { rest.removeLast() }
    return rest
}
