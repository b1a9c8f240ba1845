import Glibc
import Locks

/// Bytes that a command is given on standard input.
package protocol InputSource: Sendable {
    /// Reads to the end.
    ///
    /// - Throws: an error when there are more than `limit` bytes, or when reading fails.
    func readAll(limit: Int) async throws -> [UInt8]
}

/// The process's standard input.
package struct StandardInput: InputSource {
    package init() {}

    /// Reads to the end, on a thread of its own, because a pipe may keep it waiting.
    ///
    /// - Throws: ``CommandLineError/inputTooLarge(_:limit:)``,
    ///   ``CommandLineError/inputUnreadable(_:reason:)``.
    package func readAll(limit: Int) async throws -> [UInt8] {
        try await onOwnThread {
            // Room for all of it at once: growing would leave copies of a secret behind.
            var bytes = [UInt8](repeating: 0, count: limit + 1)
            var filled = 0
            while filled < bytes.count {
                let count = bytes.withUnsafeMutableBytes { buffer in
                    read(
                        STDIN_FILENO, buffer.baseAddress.map { $0 + filled }, buffer.count - filled)
                }
                if count < 0 {
                    guard errno == EINTR else {
                        throw CommandLineError.inputUnreadable(
                            "standard input", reason: systemMessage(errno))
                    }
                } else if count == 0 {
                    return Array(bytes[..<filled])
                } else {
                    filled += count
                }
            }
            throw CommandLineError.inputTooLarge("standard input", limit: limit)
        }
    }
}

/// Runs blocking C outside the cooperative pool, which has as few threads as there are cores.
func onOwnThread<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        OwnedThread(name: "blocking") {
            continuation.resume(with: Swift.Result(catching: body))
        }.detach()
    }
}
