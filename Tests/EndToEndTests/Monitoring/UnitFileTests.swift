import Glibc
import TestSupport
import Testing

/// The units in cron/, judged by systemd's own tool, and by what the programs really ask the kernel
/// for.
@Suite(.twoAtATime) struct UnitFileTests {
    private static let services = ["purser", "purser-watch", "purser-renew"]
    private static let timers = ["purser-watch", "purser-renew"]
    private static let hasAnalyze = access("/usr/bin/systemd-analyze", X_OK) == 0
    private static let canTrace = access("/usr/bin/strace", X_OK) == 0 && !Binaries.areSanitized

    private func text(_ unit: String) throws -> String {
        let result = try ForeignProcess.run("cat", ["\(Binaries.root)/cron/\(unit)"])
        try #require(result.status == 0, "\(result.errorText)")
        return result.text
    }

    /// The unit's lines, without comments and empty ones.
    private func lines(_ unit: String) throws -> [String] {
        try text(unit).split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
    }

    @Test(.enabled(if: hasAnalyze)) func `systemd understands every line`() async throws {
        let folder = TemporaryFolder()
        // Where the program is not installed, the one that was built stands in for it.
        let units =
            Self.services.map { "\($0).service" } + Self.timers.map { "\($0).timer" }
            + ["purser.socket"]
        for unit in units {
            let text = try text(unit).replacing("/usr/local/bin/purser", with: Binaries.purser)
            folder.write(unit, Array(text.utf8), mode: 0o644)
        }
        let result = try await ForeignProcess.runBeside(
            "systemd-analyze", ["verify", "--man=no"] + units.map(folder.file))
        #expect(result.status == 0)
        #expect(result.text + result.errorText == "")
    }

    @Test(.enabled(if: hasAnalyze), arguments: services)
    func `exposure stays as low as it is`(service: String) async throws {
        let result = try await ForeignProcess.runBeside(
            "systemd-analyze",
            [
                "security", "--offline=true", "--threshold=15", "--no-pager",
                "\(Binaries.root)/cron/\(service).service",
            ])
        #expect(result.status == 0, "\(result.text)\(result.errorText)")
    }

    @Test func `all services are hardened by the same lines`() throws {
        // Repeated in each unit rather than shared by a drop-in, which could be forgotten.
        let blocks = try Self.services.map { service in
            Array(
                try lines("\(service).service").drop { !$0.hasPrefix("LoadCredential=master-key:") }
                    .prefix { !$0.hasPrefix("[") })
        }
        #expect(blocks[0].count > 30)
        #expect(blocks.allSatisfy { $0 == blocks[0] })
        for line in [
            "NoNewPrivileges=yes", "ProtectSystem=strict", "PrivateTmp=yes", "LimitCORE=0",
            "MemoryDenyWriteExecute=yes", "MemorySwapMax=0", "SystemCallFilter=@system-service",
            "LoadCredential=master-key:/etc/purser/master.key",
        ] {
            #expect(blocks[0].contains(line), "\(line)")
        }
        // Who tells alerts gets their secrets, and nobody else.
        for (service, tells) in [("purser", true), ("purser-watch", true), ("purser-renew", false)]
        {
            let lines = try lines("\(service).service")
            for name in ["mail-password", "webhook-secret"] {
                #expect(lines.contains { $0.hasPrefix("LoadCredential=\(name):") } == tells)
                #expect(lines.contains("SetCredential=\(name):\\n") == tells)
            }
        }
        let serve = try lines("purser.service")
        #expect(serve.contains("Type=notify") && serve.contains { $0.hasPrefix("WatchdogSec=") })
    }

    @Test func `the sockets outlive the service, and are not everybody's`() throws {
        let socket = try lines("purser.socket")
        let streams = socket.compactMap { line in
            line.hasPrefix("ListenStream=") ? line.dropFirst("ListenStream=".count) : nil
        }
        #expect(streams.first == "127.0.0.1:8765" && streams.count == 2)
        // systemd removes the service's folder with the service, and the socket's file in it.
        #expect(try lines("purser.service").contains("RuntimeDirectory=purser"))
        #expect(streams.allSatisfy { !$0.hasPrefix("/run/purser/") })
        for line in ["SocketUser=purser", "SocketGroup=purser", "SocketMode=0660"] {
            #expect(socket.contains(line), "\(line)")
        }
        #expect(!socket.contains { $0.hasPrefix("Accept=") })
    }

    @Test(.enabled(if: hasAnalyze), arguments: timers)
    func `a missed run is made up for, and not all machines run at once`(
        timer: String
    ) async throws {
        let lines = try lines("\(timer).timer")
        #expect(lines.contains("Persistent=true"))
        #expect(lines.contains { $0.hasPrefix("RandomizedDelaySec=") })
        let calendar = try #require(lines.first { $0.hasPrefix("OnCalendar=") })
        let result = try await ForeignProcess.runBeside(
            "systemd-analyze", ["calendar", String(calendar.dropFirst("OnCalendar=".count))])
        #expect(result.status == 0, "\(result.errorText)")
    }

    @Test(.enabled(if: hasAnalyze && canTrace))
    func `the programs get by with the system calls and sockets that the units leave`()
        async throws
    {
        let allowed = try await Filter.allowed(by: lines("purser.service"))
        // Asked for by libraries that do without: the runtime would rank its threads, and SQLite,
        // run as root, would pass its files on. They fail here as they would under the unit.
        let refused: Set = ["setpriority", "fchown"]
        let lab = try await Lab()
        let shop = Shop()
        try await lab.open(shop)
        let trace = lab.home.folder.file("trace")
        let strace =
            ["strace", "-f", "-qq", "-s", "0", "-o", trace]
            + refused.flatMap { ["-e", "inject=\($0):error=EPERM"] }
        let service = try await RunningService(lab.home, launcher: strace)
        for overSocket in [false, true] {
            let reply = try await service.session(shop.order, overSocket: overSocket)
            #expect(reply.status == 200)
        }
        #expect(try await service.get("/metrics").status == 200)
        try await lab.activate(shop)
        #expect(try await service.session(shop.order).status == 200)
        // To the service itself: strace waits for it.
        _ = try await ForeignProcess.runBeside("pkill", ["-TERM", "-P", "\(service.process.pid)"])
        #expect(try await service.process.wait(seconds: 60) == 0)
        var calls = Calls(of: lab.home.folder.read("trace"))
        // A trace that saw nothing proves nothing.
        #expect(calls.names.isSuperset(of: ["epoll_wait", "accept4", "openat", "fdatasync"]))
        for verb in unattendedVerbs {
            let ending = try await ForeignProcess.runBeside(
                strace[0],
                Array(strace.dropFirst()) + [Binaries.purser] + lab.home.flags
                    + verb.words.map { $0 == "OUT" ? lab.home.folder.file("copy.tar") : $0 },
                environment: TestHome.environment)
            #expect(ending.status == 0, "\(verb.words): \(ending.errorText)")
            calls.add(Calls(of: lab.home.folder.read("trace")))
        }
        #expect(calls.names.subtracting(allowed).subtracting(refused) == [])
        #expect(calls.families.isSubset(of: ["AF_INET", "AF_INET6", "AF_UNIX", "AF_NETLINK"]))
        #expect(calls.writableCode == [])
    }
}

/// What a unit's SystemCallFilter lets through.
private enum Filter {
    static func allowed(by lines: [String]) async throws -> Set<String> {
        var allowed: Set<String> = []
        for line in lines where line.hasPrefix("SystemCallFilter=") {
            var words = line.dropFirst("SystemCallFilter=".count).split(separator: " ")[...]
            let isRemoval = words.first?.hasPrefix("~") ?? false
            if isRemoval, let first = words.popFirst() { words = [first.dropFirst()] + words }
            for word in words {
                let named = try await calls(in: String(word))
                isRemoval ? allowed.subtract(named) : allowed.formUnion(named)
            }
        }
        return allowed
    }

    private static func calls(in set: String) async throws -> Set<String> {
        guard set.hasPrefix("@") else { return [set] }
        let result = try await ForeignProcess.runBeside("systemd-analyze", ["syscall-filter", set])
        try #require(result.status == 0, "\(result.errorText)")
        var all: Set<String> = []
        for line in result.text.split(separator: "\n").dropFirst() {
            let name = line.drop { $0 == " " }
            if name.hasPrefix("#") { continue }
            all.formUnion(try await calls(in: String(name)))
        }
        return all
    }
}

/// What strace has seen.
private struct Calls {
    var names: Set<String> = []
    /// Families of sockets.
    var families: Set<String> = []
    /// Lines that ask for memory that can be both written and executed, or becomes executable.
    var writableCode: [String] = []

    init(of trace: [UInt8]) {
        for line in String(decoding: trace, as: UTF8.self).split(separator: "\n") {
            // 1234  openat(AT_FDCWD, …
            let call = line.drop { $0.isNumber }.drop { $0 == " " }
            let name = call.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            guard !name.isEmpty, call.dropFirst(name.count).first == "(" else { continue }
            names.insert(String(name))
            if name == "socket" || name == "socketpair" {
                families.insert(String(call.dropFirst(name.count + 1).prefix { $0 != "," }))
            }
            let isExecutable = call.contains("PROT_EXEC")
            if isExecutable, name == "mprotect" || call.contains("PROT_WRITE") {
                writableCode.append(String(call))
            }
        }
    }

    mutating func add(_ other: Calls) {
        names.formUnion(other.names)
        families.formUnion(other.families)
        writableCode += other.writableCode
    }
}
