import Glibc

/// A program that runs beside a test: a server of ours or a foreign one.
///
/// Its output goes to files in a folder of the test's, so that it can be read at any time. It is
/// killed when the last reference is dropped.
package final class BackgroundProcess: Sendable {
    package let pid: Int32
    package let outputPath: String
    package let errorPath: String

    /// Starts `executable` (found on PATH); its output goes to `folder`/`name`.out and .err.
    ///
    /// - Throws: ``ForeignProcess/CannotStart``.
    package init(
        _ executable: String, _ arguments: [String], in folder: String, name: String = "process",
        environment: [String: String]? = nil
    ) throws {
        outputPath = "\(folder)/\(name).out"
        errorPath = "\(folder)/\(name).err"
        let descriptors = [
            open("/dev/null", O_RDONLY | O_CLOEXEC),
            open(outputPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600),
            open(errorPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600),
        ]
        defer { descriptors.forEach { close($0) } }
        pid = try ForeignProcess.spawn(
            executable, arguments, environment: environment, descriptors: descriptors)
    }

    deinit {
        kill(pid, SIGKILL)
        var status: Int32 = 0
        waitpid(pid, &status, 0)
    }

    /// Sends a signal.
    package func signal(_ number: Int32) {
        kill(pid, number)
    }

    /// Its exit status, or 128 plus the number of the signal that ended it; nil while it runs.
    package var ending: Int32? {
        // WNOWAIT leaves the child to be reaped by deinit, so the pid cannot be reused before.
        var information = siginfo_t()
        guard waitid(P_PID, id_t(pid), &information, WEXITED | WNOHANG | WNOWAIT) == 0,
            information.si_signo == SIGCHLD
        else { return nil }
        let code = information._sifields._sigchld.si_status
        return information.si_code == 1 ? code : 128 + code
    }

    /// Waits for its end, at most `seconds`; nil when it still runs.
    package func wait(seconds: Double) async throws -> Int32? {
        _ = try await Self.wait(seconds: seconds) { ending != nil }
        return ending
    }

    /// What it has written to standard output so far.
    package var output: String { text(at: outputPath) }

    /// What it has written to standard error so far.
    package var errors: String { text(at: errorPath) }

    /// Waits until `condition` holds, at most `seconds`; false when it never did.
    package static func wait(
        seconds: Double, until condition: () throws -> Bool
    ) async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while try !condition() {
            guard ContinuousClock.now < deadline else { return false }
            try await Task.sleep(for: .milliseconds(10))
        }
        return true
    }

    private func text(at path: String) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var all: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&part, 1, part.count, file)
            guard count > 0 else { return String(decoding: all, as: UTF8.self) }
            all += part[..<count]
        }
    }
}
