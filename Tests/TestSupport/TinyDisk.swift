import Glibc

/// A file system of a few pages in memory, mounted for one test: to fill it, or to make it read-only.
///
/// Mounting needs a privileged root: enable the test on ``isPossible``.
package final class TinyDisk: Sendable {
    private let folder = TemporaryFolder()

    /// Where it is mounted.
    package var path: String { folder.path }

    /// Could not be mounted.
    package struct CannotMount: Error {
        package let why: String
    }

    /// Mounts an empty one of `kilobytes`; throws ``CannotMount``.
    package init(kilobytes: Int) throws {
        try Self.run(["-t", "tmpfs", "-o", "size=\(kilobytes)k,mode=0700", "tmpfs", folder.path])
    }

    deinit {
        _ = try? ForeignProcess.run("umount", ["--lazy", folder.path])
    }

    /// Remounts it for reading only, or for writing again.
    package func makeReadOnly(_ isReadOnly: Bool = true) throws {
        try Self.run(["-o", isReadOnly ? "remount,ro" : "remount,rw", folder.path])
    }

    /// The path of `name` on it.
    package func file(_ name: String) -> String { folder.file(name) }

    /// Writes until nothing fits any more, and gives the file's path.
    @discardableResult
    package func fill() -> String {
        let path = file("ballast")
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        let page = [UInt8](repeating: 0x55, count: 4096)
        while write(descriptor, page, page.count) > 0 {}
        return path
    }

    /// Whether this process may mount; asked once.
    package static let isPossible: Bool = {
        guard geteuid() == 0 else { return false }
        let tried = try? ForeignProcess.run("unshare", ["--mount", "true"])
        return tried?.status == 0
    }()

    private static func run(_ arguments: [String]) throws {
        let done = try ForeignProcess.run("mount", arguments)
        guard done.status == 0 else { throw CannotMount(why: done.errorText) }
    }
}
