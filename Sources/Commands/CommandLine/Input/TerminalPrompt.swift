import Glibc
package import Secrets
import Vault

/// Asks on the controlling terminal, whatever standard input and output are; secrets without echo.
package struct TerminalPrompt: SecretPrompt {
    private let path: String

    /// Asks on the terminal at `path`.
    package init(path: String = "/dev/tty") {
        self.path = path
    }

    /// Asks, on a thread of its own; nil where the path is no terminal of this process.
    ///
    /// - Throws: ``CommandLineError/promptAbandoned(_:)``,
    ///   ``CommandLineError/inputUnreadable(_:reason:)``.
    package func ask(_ question: String, for what: String) async throws -> SecretBytes? {
        try await onTerminal { try askSilently(question, on: $0, for: what) }
    }

    /// Asks with echo, on a thread of its own; nil where the path is no terminal of this process.
    ///
    /// - Throws: as ``ask(_:for:)``.
    package func askAloud(_ question: String, for what: String) async throws -> String? {
        try await onTerminal { terminal in
            show(question, on: terminal)
            return try readLine(on: terminal, for: what).withUnsafeBytes {
                String(decoding: $0, as: UTF8.self)
            }
        }
    }

    private func onTerminal<Answer: Sendable>(
        _ body: @escaping @Sendable (Int32) throws -> Answer
    ) async throws -> Answer? {
        let path = self.path
        return try await onOwnThread {
            let terminal = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY)
            guard terminal >= 0 else { return nil }
            defer { close(terminal) }
            guard isatty(terminal) == 1 else { return nil }
            return try body(terminal)
        }
    }
}

/// Turns the echo off, asks, and puts everything back, also when a signal ends the process.
private func askSilently(
    _ question: String, on terminal: Int32, for what: String
) throws(CommandLineError) -> SecretBytes {
    guard let echo = EchoOff(terminal) else {
        throw .inputUnreadable("the terminal", reason: systemMessage(errno))
    }
    defer { echo.restore() }
    show(question, on: terminal)
    // The typed line end is not echoed either.
    defer { show("\n", on: terminal) }
    return try readLine(on: terminal, for: what)
}

/// The line that is typed, without its line end.
private func readLine(on terminal: Int32, for what: String) throws(CommandLineError) -> SecretBytes
{
    // Longer lines do not fit the kernel's own line buffer (termios(3): 4096).
    var count = 0
    let line = try SecretBytes(count: 4096) { buffer throws(CommandLineError) in
        repeat {
            count = read(terminal, buffer.baseAddress, buffer.count)
        } while count < 0 && errno == EINTR
        guard count >= 0 else {
            throw .inputUnreadable("the terminal", reason: systemMessage(errno))
        }
    }
    let secret = strippingLineEnd(line.slice(0..<count))
    guard secret.count > 0 else { throw .promptAbandoned(what) }
    return secret
}

private func show(_ text: String, on terminal: Int32) {
    let bytes = Array(text.utf8)
    _ = write(terminal, bytes, bytes.count)
}
