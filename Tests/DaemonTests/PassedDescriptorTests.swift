import Daemon
import Glibc
import Testing

@Suite struct PassedDescriptorTests {
    @Test(arguments: [
        [:], ["LISTEN_FDS": "1"], ["LISTEN_PID": "1", "LISTEN_FDS": "1"],
        ["LISTEN_PID": "\(getpid())", "LISTEN_FDS": "0", "LISTEN_FDNAMES": ""],
    ])
    func `without sockets for this process there are none`(_ environment: [String: String]) throws {
        #expect(try PassedDescriptor.takeAll(environment: environment) == [])
    }

    @Test(arguments: [
        ("LISTEN_PID", "me", "1", nil), ("LISTEN_FDS", "", "-1", nil),
        ("LISTEN_FDS", "", "5000", nil),
        ("LISTEN_FDNAMES", "", "1", "a:b"),
    ])
    func `variables that no service manager sets are refused`(
        _ variable: String, _ process: String, _ count: String, _ names: String?
    ) {
        var environment = [
            "LISTEN_PID": process.isEmpty ? "\(getpid())" : process, "LISTEN_FDS": count,
        ]
        environment["LISTEN_FDNAMES"] = names
        #expect(throws: DaemonError.badListenVariables(variable)) {
            try PassedDescriptor.takeAll(environment: environment)
        }
    }

    @Test func `descriptors are taken over once, by name, and not inherited`() async {
        // In a process of its own, whose descriptors 3 and 4 are these.
        await #expect(processExitsWith: .exitCode(7)) {
            guard dup2(1, 3) == 3, dup2(1, 4) == 4 else { exit(1) }
            close(5)
            setenv("LISTEN_FDS", "2", 1)
            var environment = ["LISTEN_PID": "\(getpid())", "LISTEN_FDS": "2"]
            environment["LISTEN_FDNAMES"] = "http:"
            let passed = try PassedDescriptor.takeAll(environment: environment)
            guard passed.map(\.number) == [3, 4], passed.map(\.name) == ["http", "unknown"],
                fcntl(3, F_GETFD) == FD_CLOEXEC, fcntl(4, F_GETFD) == FD_CLOEXEC,
                getenv("LISTEN_FDS") == nil
            else { exit(2) }
            environment["LISTEN_FDS"] = "3"
            environment["LISTEN_FDNAMES"] = nil
            do {
                _ = try PassedDescriptor.takeAll(environment: environment)
            } catch DaemonError.descriptorMissing(5) {
                exit(7)
            }
        }
    }
}
