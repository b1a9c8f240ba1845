import FoundationEssentials
import PKI
import TestSupport

/// An Internet of its own, in a network namespace: sites under their names at port 443, served by
/// Python, and nothing else.
struct Internet {
    /// One site: the certificates it shows, and what it answers under which path.
    struct Site: Encodable {
        var chain: String
        /// Speaks TLS 1.1 and no later.
        var isOld = false
        var answers: [String: Answer] = [:]
    }

    struct Answer: Encodable {
        var status = 200
        var location: String?
        /// In base64.
        var body = ""
    }

    /// What came of a command that was run in there.
    struct Outcome: Decodable {
        var status: Int32
        var output: String
        var errors: String
    }

    /// By name.
    var sites: [String: Site] = [:]
    /// PEM of the key that all sites have.
    let key: [UInt8]
    private let folder = TemporaryFolder()

    init(key: [UInt8]) {
        self.key = key
    }

    /// Whether this machine lets the tests have one.
    static let isAllowed: Bool = {
        let made = try? ForeignProcess.run("unshare", ["-rnm", "ip", "link", "set", "lo", "up"])
        return made?.status == 0
    }()

    /// Runs commands in there, one after the other.
    func run(_ commands: [[String]]) async throws -> [Outcome] {
        struct Script: Encodable {
            var folder: String
            var sites: [String: Site]
            var commands: [[String]]
        }
        folder.write("key.pem", key)
        let script = try JSONEncoder().encode(
            Script(folder: folder.path, sites: sites, commands: commands))
        let done = try await ForeignProcess.runBeside(
            "unshare",
            ["-rnm", "python3", "-c", Self.program, folder.write("script", Array(script))],
            environment: TestHome.environment)
        guard done.status == 0 else { throw Failure("python3", done) }
        return try JSONDecoder().decode([Outcome].self, from: Data(done.output))
    }

    private static let program = """
        import base64, http.server, json, ssl, subprocess, sys, threading
        script = json.load(open(sys.argv[1]))
        folder, sites = script["folder"], script["sites"]
        with open(folder + "/hosts", "w") as hosts:
            hosts.write("127.0.0.1 localhost\\n")
            for name in sites: hosts.write("127.0.0.1 " + name + "\\n")
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        subprocess.run(["mount", "--bind", folder + "/hosts", "/etc/hosts"], check=True)

        contexts = {}
        for name, site in sites.items():
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            with open(folder + "/" + name, "w") as file: file.write(site["chain"])
            context.load_cert_chain(folder + "/" + name, folder + "/key.pem")
            if site["isOld"]:
                context.minimum_version = ssl.TLSVersion.TLSv1
                context.maximum_version = ssl.TLSVersion.TLSv1_1
            contexts[name] = context

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def do_GET(self):
                answer = sites[self.headers["Host"]]["answers"].get(self.path, {"status": 404, "body": ""})
                body = base64.b64decode(answer["body"])
                self.send_response(answer["status"])
                if answer.get("location"): self.send_header("Location", answer["location"])
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            def log_message(self, *arguments): pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            def finish_request(self, request, address):
                # A context of each site's own: its versions are agreed on before its name is seen.
                hello = request.recv(4096, 2)
                name = next((name for name in sites if name.encode() in hello), None)
                try:
                    with contexts[name].wrap_socket(request, server_side=True) as tls:
                        super().finish_request(tls, address)
                except (OSError, KeyError): pass

        server = Server(("127.0.0.1", 443), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        outcomes = []
        for command in script["commands"]:
            done = subprocess.run(command, capture_output=True, text=True)
            outcomes.append(
                {"status": done.returncode, "output": done.stdout, "errors": done.stderr})
        json.dump(outcomes, sys.stdout)
        """
}
