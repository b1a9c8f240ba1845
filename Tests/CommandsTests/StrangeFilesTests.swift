import Glibc
import TestSupport
import Testing

@testable import Commands

/// What is no file under the names of files, as commands meet it.
@Suite(.timeLimit(.minutes(2))) struct StrangeFilesTests {
    private let folder = TemporaryFolder()

    private func founded() async -> String {
        let home = folder.file("home")
        let made = await purser(
            "--home", home, "init", "--master-key-file", folder.file("master.key"))
        #expect(made.status == 0, "\(made.errors)")
        return home
    }

    private func put(_ kind: String, at path: String) {
        switch kind {
        case "pipe": #expect(mkfifo(path, 0o600) == 0)
        case "folder": #expect(mkdir(path, 0o700) == 0)
        case "link": #expect(symlink("/dev/null", path) == 0)
        default:
            let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
            #expect(descriptor >= 0)
            close(descriptor)
        }
    }

    @Test(arguments: ["pipe", "folder", "link", "file"])
    func `a journal beside the database is refused, whatever it is`(kind: String) async throws {
        let home = await founded()
        put(kind, at: "\(home)/purser.db-journal")
        for verb in [["audit", "verify"], ["merchant", "list"], ["check"]] {
            let result = await purser(["--home", home] + verb)
            #expect(result.errors.contains("purser.db-journal"), "\(result.errors)")
            #expect(result.errors.contains("stop the service first"), "\(result.errors)")
        }
        let again = await purser(
            "--home", home, "init", "--master-key-file", folder.file("master.key"))
        #expect(again.status != 0 && again.errors.contains("purser.db-journal"), "\(again.errors)")
    }

    @Test(
        arguments: [
            "purser.db-wal", "purser.db-shm", "purser.db", "master.json", "keys", "anchors",
            "purser.json5",
        ], ["pipe", "folder", "link"])
    func `nothing in a home is anything else than it should be, and no mode is to be changed`(
        name: String, kind: String
    ) async throws {
        if ["keys", "anchors"].contains(name), kind == "folder" { return }
        let home = await founded()
        let path = "\(home)/\(name)"
        if access(path, F_OK) == 0 { #expect(rename(path, folder.file("away")) == 0) }
        put(kind, at: path)
        let result = await purser("--home", home, "merchant", "list")
        #expect(result.status != 0)
        #expect(result.errors.contains("is not a"), "\(result.errors)")
        #expect(!result.errors.contains("chmod"), "\(result.errors)")
    }

    @Test func `a device as key file is no file, and its mode is nobody's business`() async throws {
        let home = await founded()
        for device in ["/dev/null", "/dev/zero", folder.path] {
            let result = await purser(
                "--home", home, "--master-key-file", device, "certificate", "list",
                "merchant.com.example.shop")
            let used = await purser(
                "--home", folder.file("other"), "--master-key-file", device, "init")
            for errors in [used.errors, result.errors] {
                #expect(!errors.contains("chmod"), "\(errors)")
            }
            #expect(used.errors.contains("is not an ordinary file"), "\(used.errors)")
        }
        let pipe = folder.file("pipe")
        #expect(mkfifo(pipe, 0o600) == 0 && chmod(pipe, 0o666) == 0)
        let result = await purser("--home", folder.file("other"), "--master-key-file", pipe, "init")
        #expect(result.errors.contains("others may use the pipe"), "\(result.errors)")
        #expect(!result.errors.contains("chmod"))
    }
}
