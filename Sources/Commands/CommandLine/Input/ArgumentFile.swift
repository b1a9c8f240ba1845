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
    /// The only one there is.
    package init() {}

    /// Reads to the end, on a thread of its own, because a pipe may keep it waiting.
    ///
    /// - Throws: ``CommandLineError/inputTooLarge(_:limit:)``,
    ///   ``CommandLineError/inputUnreadable(_:reason:)``.
    package func readAll(limit: Int) async throws -> [UInt8] {
        try await onOwnThread {
            try ArgumentFile.contents(of: STDIN_FILENO, named: "standard input", limit: limit)
        }
    }
}

/// A file that a command is told to read; what is secret goes through ``SecretFile`` instead.
enum ArgumentFile {
    /// Reads the file at `path`, of at most `limit` bytes.
    ///
    /// - Throws: ``CommandLineError/inputMissing(_:)``, ``CommandLineError/inputDenied(_:)``,
    ///   ``CommandLineError/inputUnreadable(_:reason:)``,
    ///   ``CommandLineError/inputTooLarge(_:limit:)``.
    static func read(_ path: String, limit: Int) async throws -> [UInt8] {
        try await onOwnThread {
            let descriptor = try openForReading(path)
            defer { close(descriptor) }
            return try contents(of: descriptor, named: path, limit: limit)
        }
    }

    static func openForReading(_ path: String) throws(CommandLineError) -> Int32 {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor < 0 else { return descriptor }
        switch errno {
        case ENOENT, ENOTDIR: throw .inputMissing(path)
        case EACCES, EPERM: throw .inputDenied(path)
        case let failure: throw .inputUnreadable(path, reason: systemMessage(failure))
        }
    }

    static func contents(
        of descriptor: Int32, named name: String, limit: Int
    ) throws(CommandLineError) -> [UInt8] {
        var all: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &part, part.count)
            if count > 0 {
                all += part[..<count]
                guard all.count <= limit else { throw .inputTooLarge(name, limit: limit) }
            } else if count == 0 {
                return all
            } else if errno != EINTR {
                throw .inputUnreadable(name, reason: systemMessage(errno))
            }
        }
    }
}

extension Invocation {
    /// The bytes of the file that an argument names, or of standard input for `-`.
    ///
    /// - Throws: ``CommandLineError`` when it is missing, unreadable or larger than `limit` bytes.
    func contents(of argument: Argument, limit: Int) async throws -> [UInt8] {
        let name = self[argument]
        if name == "-" && argument.acceptsStandardInput {
            return try await context.input.readAll(limit: limit)
        }
        return try await ArgumentFile.read(context.absolute(name), limit: limit)
    }

    /// The bytes of the file that a flag names; nil when the flag is absent.
    ///
    /// - Throws: ``CommandLineError`` when it is missing, unreadable or larger than `limit` bytes.
    func contents(of option: Option, limit: Int) async throws -> [UInt8]? {
        guard let path = path(option) else { return nil }
        return try await ArgumentFile.read(path, limit: limit)
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
