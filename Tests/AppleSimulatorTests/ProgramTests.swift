import AppleSimulator
import Glibc
import TestSupport
import Testing

/// The program `applesim`, driven as a shell script would.
@Suite struct ProgramTests {
    /// The built program: beside the tests.
    private static var executable: String {
        guard let found = realpath("/proc/self/exe", nil) else { return "applesim" }
        defer { free(found) }
        let path = String(cString: found)
        return path.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/applesim"
    }

    @Test func `a shell script gets from nothing to a session`() async throws {
        let folder = TemporaryFolder()
        let work = folder.file("apple")
        let program = try BackgroundProcess(
            Self.executable,
            [
                "--directory", work, "--require-active-processing", "--log",
                folder.file("log.jsonl"),
            ],
            in: folder.path, name: "applesim")
        let address = "\(work)/address.json"
        #expect(
            try await BackgroundProcess.wait(seconds: 20) { access(address, R_OK) == 0 },
            "\(program.errors)")
        let script = """
            set -euo pipefail
            cd "$1"
            field() { python3 -c 'import json,sys; print(json.load(open("address.json"))[sys.argv[1]])' "$1"; }
            portal=$(field portal) gateway=$(field gateway)
            ask() { curl -sS --fail-with-body --noproxy '*' --cacert gateway-ca.pem "$@"; }
            ask "$portal/merchants" -d '{"identifier":"merchant.com.demo","domains":["demo.example.com"]}' >&2
            openssl req -new -newkey rsa:2048 -nodes -keyout id.key -subj /CN=x -out id.csr 2>/dev/null
            ask "$portal/certificates?merchant=merchant.com.demo&kind=merchant-identity" \
                --data-binary @id.csr -o id.cer
            openssl x509 -inform DER -in id.cer -out id.pem
            openssl verify -CAfile identity-root.pem -untrusted identity-intermediate.pem id.pem >&2
            session() {
                curl -sS --noproxy '*' --cacert gateway-ca.pem --cert id.pem --key id.key \
                    "$gateway/paymentservices/paymentSession" -d '{"merchantIdentifier":\
            "merchant.com.demo","displayName":"Demo","initiative":"web",\
            "initiativeContext":"demo.example.com"}' && echo
            }
            session | grep -q 'not registered for service'
            openssl ecparam -name prime256v1 -genkey -noout -out pp.key
            openssl req -new -key pp.key -subj /CN=x -out pp.csr
            if ask "$portal/certificates?merchant=merchant.com.demo&kind=merchant-identity" \
                --data-binary @pp.csr -o refused.json; then exit 1; fi
            cat refused.json
            ask "$portal/certificates?merchant=merchant.com.demo&kind=payment-processing" \
                --data-binary @pp.csr -o pp.cer
            session
            ask -X PUT "$portal/rudeness" -d '{"status":503,"acts":{"answer-status":"next=1"}}' >&2
            session
            serial=$(openssl x509 -in id.pem -noout -serial | cut -d= -f2)
            ask -X POST "$portal/revoke?serial=$serial" >&2
            if session 2>&1; then exit 1; fi
            ask "$portal/log" | tail -1
            ask "$portal/certificates?merchant=merchant.com.demo"
            """
        let done = try ForeignProcess.run("bash", ["-c", script, "demo", work])
        #expect(done.status == 0, "\(done.text)\n\(done.errorText)")
        let lines = done.text.split(separator: "\n").map(String.init)
        try #require(lines.count >= 5)
        #expect(
            lines[0] == #"{"resultString":"CSR algorithm/size incorrect. Expected: RSA(2048)"}"#)
        #expect(jsonField("domainName", in: lines[1]) == "demo.example.com")
        #expect(jsonField("statusCode", in: lines[2]) == "503")
        #expect(done.text.contains("alert"))
        #expect(done.text.contains("\"event\":\"handshake-failed\""))
        #expect(lines.last?.contains("\"isRevoked\":true") == true)
        program.signal(SIGTERM)
        #expect(try await program.wait(seconds: 10) == 0, "\(program.errors)")
        #expect(access(address, F_OK) != 0)
        #expect(program.output.hasPrefix("Apple Simulator (not Apple): gateway https://localhost:"))
        #expect(folder.read("log.jsonl").count { $0 == 0x0A } == 4)
    }

    @Test(arguments: [
        [], ["--directory"], ["--directory", "d", "--what"], ["--directory", "d", "stray"],
        ["--directory", "d", "--port", "70000"],
        ["--directory", "d", "--port", "1", "--port", "2"],
        ["--directory", "d", "--truncate", "sometimes"], ["--directory", "d", "--alert", "47"],
        ["--directory", "d", "--redirect", "probability=2"],
    ])
    func `a wrong command line exits with 64`(arguments: [String]) throws {
        let done = try ForeignProcess.run(Self.executable, arguments)
        #expect(done.status == 64)
        #expect(done.errorText.hasPrefix("applesim: error: "))
        #expect(done.errorText.contains("applesim: hint: "))
        #expect(done.text.isEmpty)
    }

    @Test func `help names every flag within 100 columns`() throws {
        let done = try ForeignProcess.run(Self.executable, ["--help"])
        #expect(done.status == 0)
        for act in RudeAct.allCases { #expect(done.text.contains("--\(act.rawValue) WHEN")) }
        #expect(done.text.split(separator: "\n").allSatisfy { $0.count <= 100 })
    }

    @Test func `switches set the rudeness, and what is wrong with files and names is told`() throws
    {
        let taken = try ForeignProcess.run(Self.executable, ["--directory", "/dev/null/x"])
        #expect(taken.status == 73)
        let folder = TemporaryFolder()
        let merchant = try ForeignProcess.run(
            Self.executable, ["--directory", folder.path, "--merchant", "shop=a.example.com"])
        #expect(merchant.status == 65)
        let apple = try ForeignProcess.run(
            Self.executable, ["--directory", folder.path, "--merchant", "merchant.a=www.apple.com"])
        #expect(apple.status == 78)
    }
}
