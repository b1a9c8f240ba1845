internal import Glibc

/// A file descriptor that the service manager opened for this process: socket activation
/// (sd_listen_fds(3), systemd.socket(5)).
package struct PassedDescriptor: Sendable, Hashable {
    package let number: Int32
    /// The name that the unit gives (`FileDescriptorName=`), by default the socket unit's own; `unknown`
    /// where the manager names none.
    package let name: String

    /// The first descriptor that is passed: those before it are the standard streams.
    private static let first = 3

    /// The variables that tell of passed descriptors.
    private static let variables = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]

    /// Takes over what was passed to this process, closed on exec from now on; call it once, before
    /// there are other threads that read the environment.
    ///
    /// The variables are unset, so that nobody takes the descriptors twice. Where nothing was passed, or
    /// the variables are meant for another process (a parent's, as behind a shell), there is none.
    ///
    /// - Throws: ``DaemonError/badListenVariables(_:)``, ``DaemonError/descriptorMissing(_:)``.
    package static func takeAll(
        environment: [String: String]
    ) throws(DaemonError) -> [PassedDescriptor] {
        defer { for name in variables { unsafe unsetenv(name) } }
        guard let process = environment["LISTEN_PID"], let text = environment["LISTEN_FDS"] else {
            return []
        }
        guard let process = number(process) else { throw .badListenVariables("LISTEN_PID") }
        guard process == Int(getpid()) else { return [] }
        guard let count = number(text), count <= 4_096 else {
            throw .badListenVariables("LISTEN_FDS")
        }
        let names = environment["LISTEN_FDNAMES"].map {
            $0.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        }
        if let names, names.count != count, count > 0 {
            throw .badListenVariables("LISTEN_FDNAMES")
        }
        var passed: [PassedDescriptor] = []
        for index in 0..<count {
            let descriptor = Int32(first + index)
            guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
                throw .descriptorMissing(descriptor)
            }
            let name = names?[index] ?? ""
            passed.append(
                PassedDescriptor(number: descriptor, name: name.isEmpty ? "unknown" : name))
        }
        return passed
    }

    private static func number(_ text: String) -> Int? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }
}
