import Files
import Glibc
import Locks
import Secrets
import TestSupport
import Testing

@Suite struct DurableFileTests {
    private let folder = TemporaryFolder()

    @Test func `a file is 0600 whatever the umask, and whole`() throws {
        let old = umask(0)
        defer { umask(old) }
        try DurableFile.write([1, 2, 3], to: folder.file("f"), replacing: false)
        #expect(folder.read("f") == [1, 2, 3])
        let mode = try ForeignProcess.run("stat", ["-c", "%a", folder.file("f")])
        #expect(mode.text == "600\n")
        #expect(try Folder.names(in: folder.path) == ["f"], "nothing unfinished is left")
    }

    @Test func `an existing file is replaced only when that is meant`() throws {
        folder.write("f", [1])
        #expect(throws: FileError.exists(folder.file("f"))) {
            try DurableFile.write([2], to: folder.file("f"), replacing: false)
        }
        #expect(folder.read("f") == [1])
        try DurableFile.write([2], to: folder.file("f"), replacing: true)
        #expect(folder.read("f") == [2])
        #expect(try Folder.names(in: folder.path) == ["f"])
    }

    @Test func `a folder that is not there is named`() {
        #expect(throws: FileError.folderNotFound(folder.file("no"))) {
            try DurableFile.write([1], to: folder.file("no/f"), replacing: false)
        }
    }

    @Test(.enabled(if: geteuid() == 0, "mounting a full disk needs root"))
    func `a full disk leaves the old file and nothing else`() throws {
        let disk = folder.file("disk")
        try Folder.make(disk)
        _ = try ForeignProcess.run("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", disk])
        defer { _ = try? ForeignProcess.run("umount", [disk]) }
        try DurableFile.write([1], to: "\(disk)/f", replacing: false)
        #expect(throws: FileError.full("\(disk)/f")) {
            try DurableFile.write(
                [UInt8](repeating: 7, count: 200_000), to: "\(disk)/f", replacing: true)
        }
        #expect(try InputFile.read("\(disk)/f", limit: 10) == [1])
        #expect(try Folder.names(in: disk) == ["f"])
    }
}

@Suite struct InputFileTests {
    private let folder = TemporaryFolder()

    @Test func `a longer file than the limit is refused`() {
        let path = folder.write("f", [UInt8](repeating: 0, count: 11))
        #expect(throws: FileError.tooLarge(path, limit: 10)) {
            try InputFile.read(path, limit: 10)
        }
    }

    @Test func `an endless file is refused after the limit`() throws {
        let path = folder.file("endless")
        #expect(mkfifo(path, 0o600) == 0)
        let writer = try BackgroundProcess(
            "sh", ["-c", "exec cat /dev/zero >\(path)"], in: folder.path)
        defer { writer.signal(SIGKILL) }
        #expect(throws: FileError.tooLarge(path, limit: 1_000)) {
            try InputFile.read(path, limit: 1_000, pipe: .forPeople)
        }
    }

    @Test(arguments: ["/dev/zero", "/dev/null", "/dev/tty", "/dev/full", "/dev/ptmx", "/proc/self"])
    func `a device is no file, and is not read`(path: String) {
        for patience in [PipePatience.none, .forPeople] {
            let error = #expect(throws: FileError.self) {
                try InputFile.read(path, limit: 1_000, pipe: patience)
            }
            // Without a terminal there is no /dev/tty to open; a machine may lack the others.
            #expect(["file.not-a-file", "file.not-found"].contains(error?.code))
        }
    }

    @Test func `a socket is no file`() throws {
        let path = folder.file("socket")
        let listener = try BackgroundProcess(
            "python3",
            [
                "-c",
                "import socket, time; s = socket.socket(socket.AF_UNIX); s.bind('\(path)'); "
                    + "s.listen(); print('up', flush=True); time.sleep(60)",
            ], in: folder.path)
        defer { listener.signal(SIGKILL) }
        var status = stat()
        for _ in 0..<200 where lstat(path, &status) != 0 { usleep(50_000) }
        #expect(throws: FileError.notAFile(path)) { try InputFile.read(path, limit: 10) }
    }

    @Test func `a folder is no file`() {
        #expect(throws: FileError.notAFile(folder.path)) {
            try InputFile.read(folder.path, limit: 10)
        }
    }

    @Test(arguments: [0o644, 0o640, 0o604, 0o660] as [mode_t])
    func `a secret that others may read is refused, but for systemd's`(mode: mode_t) throws {
        let path = folder.write("key", [1, 2])
        chmod(path, mode)
        let shown = "0" + String(mode, radix: 8)
        #expect(throws: FileError.exposed(path, mode: shown)) {
            try InputFile.readSecret(path, limit: 10)
        }
        #expect(try InputFile.readSecret(path, limit: 10, exempt: true).count == 2)
    }

    @Test(.enabled(if: geteuid() == 0, "giving files away needs root"))
    func `somebody else's secret is refused`() throws {
        let path = folder.write("key", [1, 2])
        chown(path, 65_534, 65_534)
        #expect(throws: FileError.self) { try InputFile.readSecret(path, limit: 10) }
    }
}

@Suite struct FileLockTests {
    private let folder = TemporaryFolder()

    @Test func `an exclusive lock keeps others out until it is let go`() throws {
        let path = folder.file("lock")
        var held: FileLock? = try FileLock.take(path, .exclusive)
        #expect(try FileLock.tryTake(path, .shared) == nil)
        _ = held
        held = nil
        #expect(try FileLock.tryTake(path, .exclusive) != nil)
    }

    @Test func `sharers share`() throws {
        let path = folder.file("lock")
        let one = try FileLock.take(path, .shared)
        let other = try FileLock.tryTake(path, .shared)
        #expect(other != nil)
        #expect(try FileLock.tryTake(path, .exclusive) == nil)
        withExtendedLifetime((one, other)) {}
    }

    @Test func `the lock of a killed process is free`() async throws {
        let path = folder.file("lock")
        let holder = try BackgroundProcess(
            "flock", [path, "sh", "-c", "echo held; exec sleep 60"], in: folder.path)
        #expect(try await BackgroundProcess.wait(seconds: 5) { holder.output == "held\n" })
        #expect(try FileLock.tryTake(path, .exclusive) == nil)
        _ = try ForeignProcess.run("pkill", ["-KILL", "-P", "\(holder.pid)"])
        holder.signal(SIGKILL)
        #expect(
            try await BackgroundProcess.wait(seconds: 5) {
                try FileLock.tryTake(path, .exclusive) != nil
            })
    }
}

@Suite struct LockPatienceTests {
    private let folder = TemporaryFolder()

    @Test func `a lock that somebody keeps is named, and nobody waits for ever`() throws {
        let path = folder.file("lock")
        let held = try FileLock.take(path, .exclusive)
        for mode in [FileLock.Mode.shared, .exclusive] {
            #expect(try FileLock.tryTake(path, mode) == nil)
            #expect(throws: FileError.locked(path)) {
                try FileLock.take(path, mode, within: .milliseconds(50))
            }
        }
        withExtendedLifetime(held) {}
    }

    @Test func `a lock is taken when its holder lets go`() throws {
        let path = folder.file("lock")
        let held = Locked<FileLock?>(try FileLock.take(path, .exclusive))
        let thread = OwnedThread(name: "unlock") {
            usleep(200_000)
            held.withLock { $0 = nil }
        }
        _ = try FileLock.take(path, .exclusive, within: .seconds(60))
        thread.join()
        #expect(held.withLock { $0 == nil })
    }
}
