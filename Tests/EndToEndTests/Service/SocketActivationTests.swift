import Glibc
import TestSupport
import Testing

/// Sockets that a service manager opened and passes.
@Suite(.twoAtATime) struct SocketActivationTests {
    private static let activator = "/usr/bin/systemd-socket-activate"
    private static let canActivate = access(activator, X_OK) == 0

    @Test(.enabled(if: canActivate, "systemd is not installed"), arguments: [false, true])
    func `systemd's own tool starts the service for the first client, who is answered`(
        isNamedToo: Bool
    ) async throws {
        let home = try await TestHome()
        let path = home.folder.file("passed.sock")
        let process = try BackgroundProcess(
            Self.activator,
            ["-l", path, "--fdname=http", Binaries.purser] + home.flags
                + ["serve"] + (isNamedToo ? ["--listen", "unix:\(path)"] : []),
            in: home.folder.path, name: "activated", environment: TestHome.environment)
        try #require(try await BackgroundProcess.wait(seconds: 20) { access(path, F_OK) == 0 })
        #expect(!process.errors.contains("ready"))
        let reply = try await HTTPReply.asking(["--unix-socket", path, "http://localhost/healthz"])
        #expect(reply.status == 200)
        _ = try await BackgroundProcess.wait(seconds: 20) { process.errors.contains("ready") }
        // That socket alone: it has taken the place of the default, or is what was named.
        #expect(process.errors.contains("serving 0 merchants on unix:\(path)\""))
        process.signal(SIGTERM)
        #expect(try await process.wait(seconds: 30) == 0)
        #expect(access(path, F_OK) == 0)
    }

    /// Keeps a socket open over three lives of a service, while clients come one after the other.
    private static let manager = """
        import json, os, signal, socket, sys, threading, time
        listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        port = listener.getsockname()[1]

        def start(log):
            child = os.fork()
            if child == 0:
                os.dup2(listener.fileno(), 3)
                os.set_inheritable(3, True)
                os.dup2(os.open(log, os.O_WRONLY | os.O_CREAT, 0o600), 2)
                os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1", LISTEN_FDNAMES="http")
                os.execv(sys.argv[2], sys.argv[2:])
            while "ready" not in open(log).read() if os.path.exists(log) else True:
                time.sleep(0.01)
            return child

        answers, isOver = {}, False
        def ask():
            while not isOver:
                try:
                    client = socket.create_connection(("127.0.0.1", port), 20)
                    client.sendall(b"GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n")
                    answer = client.makefile("rb").readline().decode().strip() or "nothing"
                except OSError as error:
                    answer = repr(error)
                answers[answer] = answers.get(answer, 0) + 1

        clients = [threading.Thread(target=ask) for _ in range(4)]
        for client in clients: client.start()
        endings = []
        for life in range(3):
            service = start(f"{sys.argv[1]}.{life}")
            time.sleep(0.15)
            if life == 2:
                isOver = True
                for client in clients: client.join()
            os.kill(service, signal.SIGTERM)
            endings.append(os.waitstatus_to_exitcode(os.waitpid(service, 0)[1]))
        fine = answers.pop("HTTP/1.1 200 OK", 0)
        print(json.dumps({"fine": fine, "failures": answers, "endings": endings}))
        """

    @Test func `restarts lose no client`() async throws {
        let home = try await TestHome()
        let result = try await ForeignProcess.runBeside(
            "python3",
            ["-c", Self.manager, home.folder.file("log"), Binaries.purser] + home.flags
                + ["serve", "--listen", "unix:\(home.folder.file("own.sock"))"],
            environment: TestHome.environment)
        let report = try JSON(result.output)
        #expect(report["endings"] == .array([0, 0, 0]), "\(result.errorText)")
        #expect(report["failures"] == .object([:]), "\(report)")
        #expect((report["fine"].number ?? 0) > 20, "\(report)")
        // What was named is served beside what was passed.
        let log = String(decoding: home.folder.read("log.0"), as: UTF8.self)
        #expect(log.contains(", unix:\(home.folder.file("own.sock"))"))
        #expect(access(home.folder.file("own.sock"), F_OK) != 0)
    }

    /// Becomes `purser serve` with one descriptor passed.
    private static let passer = """
        import os, socket, sys
        sort, count = sys.argv[1], sys.argv[2]
        passed = {
            "datagram": lambda: socket.socket(type=socket.SOCK_DGRAM),
            "connected": lambda: socket.socketpair()[0],
            "file": lambda: open("/dev/null"),
            "world": lambda: socket.create_server(("0.0.0.0", 0)),
        }[sort]()
        os.dup2(passed.fileno(), 3)
        os.set_inheritable(3, True)
        os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=count)
        os.closerange(4, 64)
        os.execv(sys.argv[3], sys.argv[3:])
        """

    @Test func `what cannot be served on is refused with what to do`() async throws {
        let home = try await TestHome()
        for (sort, count, code) in [
            ("datagram", "1", "listen.passed-socket"), ("connected", "1", "listen.passed-socket"),
            ("file", "1", "listen.passed-socket"), ("world", "60", "daemon.descriptor-missing"),
            ("world", "one", "daemon.bad-listen-variables"),
            ("world", "1", "serve.beyond-loopback"),
        ] {
            let result = try await ForeignProcess.runBeside(
                "python3",
                ["-c", Self.passer, sort, count, Binaries.purser] + home.flags + [
                    "serve", "--json",
                ],
                environment: TestHome.environment)
            let error = (try? JSON(result.output)["error"]) ?? .null
            #expect(result.status == 78 && error["code"].text == code, "\(sort): \(result.text)")
        }
    }
}
