import Glibc
import Locks
import TestSupport
import Testing
import WebServer

@Suite(.serialized) struct UnixSocketTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.file("purser.sock") }

    private func mode(of path: String) -> mode_t? {
        var found = stat()
        return lstat(path, &found) == 0 ? found.st_mode : nil
    }

    @Test func `a socket is made for its owner alone, names the peer and is removed`() async throws
    {
        let server = try TestServer(["unix:\(path)"])
        #expect(mode(of: path) == S_IFSOCK | 0o600)
        let peer = try await server.curl(["--unix-socket", path, "http://localhost/peer"])
        #expect(peer == "unixSocket(uid: Optional(\(getuid())))")
        await server.server.drain(within: .seconds(1))
        #expect(mode(of: path) == nil)
    }

    @Test func `the process's umask is left alone and does not matter`() throws {
        let before = umask(0)
        defer { umask(before) }
        let server = try TestServer(["unix:\(path)"])
        #expect(mode(of: path) == S_IFSOCK | 0o600)
        #expect(umask(0) == 0)
        withExtendedLifetime(server) {}
    }

    @Test func `a socket that nobody listens on is replaced`() async throws {
        let leave = "import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])"
        _ = try ForeignProcess.run("python3", ["-c", leave, path])
        try #require(mode(of: path) != nil)
        let server = try TestServer(["unix:\(path)"])
        #expect(try await server.curl(["--unix-socket", path, "http://localhost/"]) == "hello")
    }

    @Test func `a socket that somebody listens on is not taken away`() async throws {
        let first = try TestServer(["unix:\(path)"])
        #expect(throws: WebServerError.addressInUse("unix:\(path)")) {
            try TestServer(["unix:\(path)"])
        }
        #expect(try await first.curl(["--unix-socket", path, "http://localhost/"]) == "hello")
    }

    @Test func `of two that start together one listens`() async throws {
        for round in 0..<20 {
            let path = folder.file("race\(round)")
            let started = await withTaskGroup(of: TestServer?.self) { group in
                for _ in 0..<2 { group.addTask { try? TestServer(["unix:\(path)"]) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(started.count { $0 != nil } == 1)
            #expect(mode(of: path) != nil)
        }
    }

    @Test func `a folder that somebody keeps locked is named, and nobody waits for ever`() throws {
        // As any user can who may read the folder: flock(2) asks for no more.
        let holder = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(holder) }
        try #require(flock(holder, LOCK_SH) == 0)
        #expect(throws: WebServerError.folderLocked(folder.path)) {
            try TestServer(["unix:\(path)"])
        }
        #expect(WebServerError.folderLocked(folder.path).remedy.contains(folder.path))
        #expect(mode(of: path) == nil)
        // A lock that is let go in time costs nothing but the wait.
        let thread = OwnedThread(name: "unlock") {
            usleep(300_000)
            flock(holder, LOCK_UN)
        }
        let server = try TestServer(["unix:\(path)"])
        #expect(mode(of: path) == S_IFSOCK | 0o600)
        thread.join()
        withExtendedLifetime(server) {}
    }

    @Test func `another server's socket at the same path is not removed`() async throws {
        let first = try TestServer(["unix:\(path)"])
        #expect(unlink(path) == 0)
        let second = try TestServer(["unix:\(path)"])
        await first.server.drain(within: .seconds(1))
        #expect(try await second.curl(["--unix-socket", path, "http://localhost/"]) == "hello")
    }

    @Test func `a file that is no socket, and a folder that is not there, are refused`() {
        folder.write("file", [])
        #expect(throws: WebServerError.notASocket(folder.file("file"))) {
            try TestServer(["unix:\(folder.file("file"))"])
        }
        #expect(throws: WebServerError.folderMissing("unix:\(folder.file("none/s"))")) {
            try TestServer(["unix:\(folder.file("none/s"))"])
        }
        #expect(mode(of: folder.file("file")) == S_IFREG | 0o600)
    }
}
