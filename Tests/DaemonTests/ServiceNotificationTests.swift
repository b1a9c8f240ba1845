import Daemon
import Glibc
import TestSupport
import Testing

@Suite struct ServiceNotificationTests {
    private let folder = TemporaryFolder()

    /// A service manager in Python: prints each datagram, its line breaks as `|`.
    private func manager(at address: String) async throws -> BackgroundProcess {
        let script = """
            import socket, sys
            manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            manager.bind(sys.argv[1].replace("@", "\\0"))
            print("ready", flush=True)
            while True:
                print(manager.recv(4096).decode().replace("\\n", "|"), flush=True)
            """
        let manager = try BackgroundProcess("python3", ["-c", script, address], in: folder.path)
        try #require(await BackgroundProcess.wait(seconds: 60) { manager.output == "ready\n" })
        return manager
    }

    @Test(arguments: [true, false])
    func `a service manager hears how the service is`(_ abstract: Bool) async throws {
        let address = abstract ? "@purser-test-\(getpid())" : folder.file("notify")
        let manager = try await manager(at: address)
        let notification = try ServiceNotification(environment: ["NOTIFY_SOCKET": address])
        #expect(notification.isWanted)
        try notification.ready(status: "listening on\n127.0.0.1:8765")
        try notification.status("3 merchants")
        try notification.reloading()
        try notification.watchdog()
        try notification.stopping()
        try #require(
            await BackgroundProcess.wait(seconds: 60) { manager.output.contains("STOPPING=1") })
        let lines = manager.output.split(separator: "\n").map(String.init)
        #expect(lines[1] == "READY=1|STATUS=listening on 127.0.0.1:8765")
        #expect(lines[2] == "STATUS=3 merchants")
        #expect(lines[3].wholeMatch(of: /RELOADING=1\|MONOTONIC_USEC=[0-9]+/) != nil)
        #expect(Array(lines[4...]) == ["WATCHDOG=1", "STOPPING=1"])
    }

    @Test func `without a service manager nothing is sent and nothing fails`() throws {
        for environment in [[:], ["NOTIFY_SOCKET": ""]] {
            let notification = try ServiceNotification(environment: environment)
            #expect(!notification.isWanted)
            try notification.ready(status: "up")
        }
    }

    @Test func `an address of another sort is refused`() {
        #expect(throws: DaemonError.badNotifySocket("vsock:2:1")) {
            try ServiceNotification(environment: ["NOTIFY_SOCKET": "vsock:2:1"])
        }
    }

    @Test(arguments: ["/nowhere/at/all", "/" + String(repeating: "a", count: 200)])
    func `a manager that is not there is reported`(_ address: String) throws {
        let notification = try ServiceNotification(environment: ["NOTIFY_SOCKET": address])
        #expect(throws: DaemonError.self) { try notification.ready(status: "up") }
    }

    @Test func `the watchdog's interval is ours alone`() throws {
        func interval(_ environment: [String: String]) throws -> Duration? {
            try ServiceNotification(environment: environment).watchdogInterval
        }
        #expect(try interval([:]) == nil)
        #expect(try interval(["WATCHDOG_USEC": "3000000"]) == .seconds(3))
        #expect(try interval(["WATCHDOG_USEC": "0"]) == nil)
        #expect(try interval(["WATCHDOG_USEC": "x"]) == nil)
        let mine = ["WATCHDOG_USEC": "5", "WATCHDOG_PID": "\(getpid())"]
        #expect(try interval(mine) == .microseconds(5))
        #expect(try interval(["WATCHDOG_USEC": "5", "WATCHDOG_PID": "1"]) == nil)
    }

    @Test func `every failure is explained`() {
        #expect(Set(DaemonError.examples.map(\.code)).count == DaemonError.examples.count)
        for error in DaemonError.examples {
            #expect(!error.remedy.isEmpty && error.summary.count <= 120)
        }
    }
}
