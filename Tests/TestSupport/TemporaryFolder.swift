import Glibc

/// A folder for one test, mode 0700, removed with everything in it when the test lets go.
package final class TemporaryFolder: Sendable {
    package let path: String

    /// Makes the folder under TMPDIR, or /tmp.
    package init() {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/purser-test-XXXXXX".utf8CString)
        mkdtemp(&template)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        _ = try? ForeignProcess.run("rm", ["-rf", path])
    }

    /// The path of `name` in the folder.
    package func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file of mode `mode` and gives its path.
    @discardableResult
    package func write(_ name: String, _ bytes: [UInt8], mode: UInt32 = 0o600) -> String {
        let path = file(name)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        defer { close(descriptor) }
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            guard count > 0 else { break }
            written += count
        }
        return path
    }

    /// Reads a whole file; empty when it is absent.
    package func read(_ name: String) -> [UInt8] {
        guard let file = fopen(file(name), "r") else { return [] }
        defer { fclose(file) }
        var all: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&part, 1, part.count, file)
            guard count > 0 else { return all }
            all += part[..<count]
        }
    }
}
