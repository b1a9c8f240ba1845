import Glibc
import TestSupport
import Testing

@testable import Commands

/// What stands in the place of a file that an argument names.
@Suite(.timeLimit(.minutes(3))) struct FileArgumentTests {
    private let folder = TemporaryFolder()

    /// Runs a shell script in the folder, in which `$purser` is the program with a home.
    private func shell(_ script: String) throws -> ForeignProcess.Result {
        let start = """
            cd '\(folder.path)'
            purser="\(ProgramTests.program) --home '\(folder.path)/home'"
            purser() { eval "$purser \\"\\$@\\""; }
            """
        return try ForeignProcess.run(
            "bash", ["--norc", "-c", "\(start)\n\(script)"], environment: ["PATH": "/usr/bin:/bin"])
    }

    private static let calls = [
        "--master-key-file X merchant add merchant.com.example.a --config X",
        "--master-key-file X certificate list --config X",
        "--master-key-file k certificate import merchant.com.example.a X",
        "--master-key-file k certificate import merchant.com.example.a k --key X",
        "--master-key-file X certificate request merchant.com.example.a merchant-identity",
        "--passphrase-file X certificate request merchant.com.example.a merchant-identity",
        "environment add lab --gateway https://localhost:1 --apple-root X",
        "environment add lab --gateway https://localhost:1 --gateway-ca X",
    ]

    @Test func `a pipe that nobody writes into, a device and a folder are refused in time`() throws
    {
        let calls = Self.calls.enumerated().map { number, call in
            """
            for what in pipe /dev/zero /dev/null dir; do
              (purser \(call.replacing(" X", with: " $what")) >out.\(number).${what##*/} 2>&1 </dev/null
               echo "status $?" >>out.\(number).${what##*/}) &
            done
            """
        }
        let result = try shell(
            """
            purser init --master-key-file k >/dev/null || exit 9
            purser merchant add merchant.com.example.a >/dev/null || exit 9
            mkfifo -m 0600 pipe; mkdir -m 0700 dir
            SECONDS=0
            \(calls.joined(separator: "\n"))
            wait
            [ $SECONDS -lt 60 ] || echo slow
            tail -n +1 out.*
            """)
        #expect(result.status == 0, "\(result.errorText)")
        let reports = result.text.split(separator: "==> out.")
        #expect(reports.count == Self.calls.count * 4)
        for report in reports {
            let isPipe = report.contains(".pipe <==")
            #expect(
                report.contains("is not an ordinary file")
                    || report.contains("others may use it") && !isPipe
                    || isPipe && report.contains("has not brought its contents within 10 seconds"),
                "\(report)")
            #expect(!report.contains("status 0") && !report.contains("status 70"), "\(report)")
        }
        #expect(!result.text.contains("slow"))
    }

    @Test func `secrets that are made on the way are read from pipes`() throws {
        let result = try shell(
            """
            purser init --passphrase-file <(printf 'correct horse') >/dev/null || exit 9
            purser merchant add merchant.com.example.a >/dev/null || exit 8
            printf 'correct horse\\n' | purser --passphrase-file /dev/stdin \
                certificate request merchant.com.example.a payment-processing >csr || exit 7
            mkfifo -m 0600 named
            (sleep 1; printf 'correct horse' >named) &
            purser --passphrase-file named \
                certificate request merchant.com.example.a payment-processing >csr2 || exit 6
            purser --config <(echo '{check: {warningDays: 41}}') config show | grep -c 41 || exit 5
            purser --passphrase-file <(printf 'wrong') \
                certificate request merchant.com.example.a payment-processing 2>&1
            """)
        #expect(result.text.hasPrefix("1\n"), "\(result.status): \(result.errorText)")
        #expect(result.text.contains("this is not the passphrase of this home"))
        #expect(result.status == 77)
    }
}

/// Root's `init` where somebody else could swap folders under it.
@Suite(.enabled(if: geteuid() == 0, "giving folders away needs root"))
struct ForeignFolderTests {
    private let folder = TemporaryFolder()
    private let keyFile: String

    init() {
        keyFile = folder.file("master.key")
        mkdir(folder.file("theirs"), 0o755)
        chown(folder.file("theirs"), 65_534, 65_534)
    }

    private func listed() throws -> String {
        try ForeignProcess.run("find", [folder.path, "-mindepth", "1", "-printf", "%P %U\n"]).text
    }

    @Test func `init as root makes nothing in another user's folder`() async throws {
        let before = try listed()
        let result = await purser(
            "--home", folder.file("theirs/home"), "init", "--master-key-file", keyFile)
        #expect(result.status == 77)
        #expect(result.errors.contains("root cannot use"))
        #expect(result.errors.contains("belongs to"))
        #expect(result.errors.contains("sudo -u"))
        #expect(try listed() == before)
    }

    @Test func `nor by way of another user's link`() async throws {
        mkdir(folder.file("ours"), 0o755)
        symlink(folder.file("ours"), folder.file("theirs/link"))
        lchown(folder.file("theirs/link"), 65_534, 65_534)
        let before = try listed()
        let result = await purser(
            "--home", folder.file("theirs/link/home"), "init", "--master-key-file", keyFile)
        #expect(result.status == 77)
        #expect(try listed() == before)
    }

    @Test func `a home of root's in another user's folder is not entered`() async throws {
        let home = folder.file("home")
        #expect(await purser("--home", home, "init", "--master-key-file", keyFile).status == 0)
        #expect(await purser("--home", home, "audit", "verify").status == 0)
        rename(home, folder.file("theirs/home"))
        let result = await purser("--home", folder.file("theirs/home"), "audit", "verify")
        #expect(result.status == 77)
        #expect(result.errors.contains("root cannot use"))
    }
}
