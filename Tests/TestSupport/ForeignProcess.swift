import Glibc

/// A program that we did not write, run as a witness: `openssl`, `curl`, `sqlite3`.
package enum ForeignProcess {
    /// What a program that ended has left.
    package struct Result: Sendable {
        /// The exit status; 128 plus the signal's number when one ended it.
        package let status: Int32
        package let output: [UInt8]
        package let errors: [UInt8]

        package var text: String { String(decoding: output, as: UTF8.self) }
        package var errorText: String { String(decoding: errors, as: UTF8.self) }
    }

    /// The program could not be started.
    package struct CannotStart: Error {
        package let executable: String
        package let errno: Int32
    }

    /// Runs `executable` (found on PATH) to its end; throws ``CannotStart``.
    ///
    /// `environment` is the whole environment; nil inherits ours.
    package static func run(
        _ executable: String, _ arguments: [String], input: [UInt8] = [],
        environment: [String: String]? = nil
    ) throws -> Result {
        // Unlinked files rather than pipes: no reader is needed and nothing can dead-lock.
        let files = (0..<3).map { _ in tmpfile() }
        defer { files.forEach { if let file = $0 { fclose(file) } } }
        let descriptors = files.map { $0.map(fileno) ?? -1 }
        guard descriptors.allSatisfy({ $0 >= 0 }) else {
            throw CannotStart(executable: executable, errno: errno)
        }
        var written = 0
        while written < input.count {
            let count = input[written...].withUnsafeBytes {
                write(descriptors[0], $0.baseAddress, $0.count)
            }
            guard count > 0 else { throw CannotStart(executable: executable, errno: errno) }
            written += count
        }
        lseek(descriptors[0], 0, SEEK_SET)
        let child = try spawn(
            executable, arguments, environment: environment, descriptors: descriptors)
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 && errno == EINTR {}
        return Result(
            status: exitStatus(status), output: contents(of: descriptors[1]),
            errors: contents(of: descriptors[2]))
    }

    static func spawn(
        _ executable: String, _ arguments: [String], environment: [String: String]?,
        descriptors: [Int32]
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (target, source) in descriptors.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, source, Int32(target))
        }
        var argv = ([executable] + arguments).map { strdup($0) } + [nil]
        var envp = (environment ?? [:]).map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer {
            argv.forEach { free($0) }
            envp.forEach { free($0) }
        }
        var child = pid_t()
        let failure =
            environment == nil
            ? posix_spawnp(&child, executable, &actions, nil, &argv, environ)
            : posix_spawnp(&child, executable, &actions, nil, &argv, &envp)
        guard failure == 0 else { throw CannotStart(executable: executable, errno: failure) }
        return child
    }

    static func exitStatus(_ status: Int32) -> Int32 {
        status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    }

    private static func contents(of descriptor: Int32) -> [UInt8] {
        lseek(descriptor, 0, SEEK_SET)
        var all: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &part, part.count)
            guard count > 0 else { return all }
            all += part[..<count]
        }
    }
}
