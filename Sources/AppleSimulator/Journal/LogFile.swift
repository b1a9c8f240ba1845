import Glibc

/// A file that whole lines are appended to, each with one write(2), so that no lock is needed.
final class LogFile: Sendable {
    private let descriptor: Int32

    init(path: String) throws {
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SimulatorError.cannotWrite(path) }
    }

    deinit {
        close(descriptor)
    }

    func append(_ line: [UInt8]) {
        // A full disk loses lines of a stand-in's log, and nothing else.
        _ = line.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    }
}
