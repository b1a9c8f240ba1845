import Glibc
import TestSupport
import Testing

/// A command that timers and cron run, with nobody there.
struct UnattendedVerb: Sendable, CustomTestStringConvertible {
    /// Its words; `OUT` stands for a file that it is to make.
    let words: [String]
    let needsKey: Bool

    var testDescription: String { words.joined(separator: " ") }
}

/// All that cron/ names, but for `serve`.
let unattendedVerbs = [
    UnattendedVerb(words: ["check"], needsKey: false),
    UnattendedVerb(words: ["watch", "--once"], needsKey: true),
    UnattendedVerb(words: ["renew", "--commit"], needsKey: true),
    UnattendedVerb(words: ["backup", "OUT"], needsKey: true),
]

/// The verbs of the timetable under whatever cron, systemd or an ill-made image gives them.
@Suite(.twoAtATime) struct UnattendedTests {
    private static let worlds = [
        "", "LANG=tr_TR.UTF-8 LC_ALL=tr_TR.UTF-8", "LC_ALL=no-such-locale LANG=",
        "TZ=Pacific/Kiritimati", "TZ=Pacific/Pago_Pago", "TZ=:/no/such/zone", "HOME= PATH=",
        "HTTPS_PROXY=http://127.0.0.1:1 https_proxy=http://127.0.0.1:1 ALL_PROXY=socks5://127.0.0.1:1",
    ]

    /// What a sanitizer needs to be told even in an empty environment.
    private static let sanitizers = ["ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS"].compactMap {
        name in TestHome.environment[name].map { "\(name)=\($0)" }
    }

    private static func quoted(_ words: [String]) -> String {
        words.map { "'\($0)'" }.joined(separator: " ")
    }

    @Test(arguments: unattendedVerbs)
    func `it works in the root folder, without environment and input, in any locale`(
        verb: UnattendedVerb
    ) async throws {
        let lab = try await Lab()
        try await lab.open()
        let flags = verb.needsKey ? lab.home.flags : ["--home", lab.home.path]
        for (number, world) in Self.worlds.enumerated() {
            for input in ["<&-", "</dev/null"] {
                let out = lab.home.folder.file("out-\(number)-\(input.count)")
                let words = flags + verb.words.map { $0 == "OUT" ? out : $0 }
                let result = try await ForeignProcess.runBeside(
                    "sh",
                    [
                        "-c",
                        "cd / && exec env -i \(Self.quoted(Self.sanitizers)) \(world) "
                            + "\(Self.quoted([Binaries.purser] + words)) \(input)",
                    ])
                #expect(result.status == 0, "\(world) \(result.text)\(result.errorText)")
                #expect(!result.errors.contains { $0 >= 0x80 })
            }
        }
    }

    @Test func `check says the same everywhere, to the byte`() async throws {
        let lab = try await Lab()
        let shop = Shop()
        try await lab.register(shop)
        let id = try #require(
            try await lab.certify(shop, "merchant-identity", "&days=20")["id"].text)
        try await lab.home.must("certificate", "activate", id)
        var told: Set<[UInt8]> = []
        for world in Self.worlds {
            let command = Self.quoted([Binaries.purser, "--home", lab.home.path, "check", "--json"])
            let result = try await ForeignProcess.runBeside(
                "sh",
                [
                    "-c",
                    "cd / && exec env -i \(Self.quoted(Self.sanitizers)) \(world) \(command) <&-",
                ])
            #expect(result.status == 1)
            told.insert(result.output)
        }
        #expect(told.count == 1)
    }

    @Test func `each line of the crontab does its work, and mails nothing when all is well`()
        async throws
    {
        let lab = try await Lab()
        try await lab.open()
        let folder = lab.home.folder
        let lines = try ForeignProcess.run("cat", ["\(Binaries.root)/cron/purser.crontab"]).text
            .split(separator: "\n").filter { $0.first?.isNumber ?? false }
        #expect(lines.count == unattendedVerbs.count)
        for (line, verb) in zip(lines.sorted { Self.place($0) < Self.place($1) }, unattendedVerbs) {
            // Five fields of time, the user, and the command as it stands there.
            let fields = line.split(separator: " ", maxSplits: 6, omittingEmptySubsequences: true)
            try #require(fields.count == 7)
            #expect(fields[5] == (verb.needsKey ? "root" : "purser"))
            var command = String(fields[6])
            for (installed, here) in [
                ("\\%", "%"), ("/usr/local/bin/purser", Binaries.purser),
                ("/var/lib/purser", lab.home.path), ("/etc/purser/master.key", lab.home.keyFile),
                ("/var/backups/purser", folder.file("backups")),
            ] {
                command = command.replacing(installed, with: here)
            }
            let cron =
                ["-i"] + Self.sanitizers + ["SHELL=/bin/sh", "PATH=/usr/bin:/bin", "sh", "-c"]
            let result = try await ForeignProcess.runBeside("env", cron + [command])
            #expect(result.status == 0 && result.text + result.errorText == "", "\(line)")
            // Where something is wrong, it mails.
            let broken = command.replacing("--home \(lab.home.path)", with: "--home /none")
            let failed = try await ForeignProcess.runBeside("env", cron + [broken])
            #expect(failed.text != "", "\(line)")
        }
        let copies = try ForeignProcess.run("ls", [folder.file("backups")]).text
        #expect(copies.hasSuffix(".tar\n") && copies.hasPrefix("2"))
    }

    /// Where a line's verb stands in the table.
    private static func place(_ line: Substring) -> Int {
        unattendedVerbs.firstIndex { line.contains(" \($0.words[0]) ") } ?? -1
    }
}
