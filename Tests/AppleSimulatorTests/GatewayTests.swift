import AppleSimulator
import Clocks
import Merchants
import PKI
import TestSupport
import Testing

@Suite struct GatewayTests {
    @Test func `a merchant with its identity gets a session of Apple's fields`() throws {
        let bench = try SimulatorBench()
        let answer = try bench.ask(try bench.client())
        #expect(answer.status == 200, "\(answer.errors)")
        let hash = Hexadecimal.uppercase(SHA256.hash(Array(SimulatorBench.shop.utf8)))
        let now = bench.clock.now.seconds
        #expect(jsonField("domainName", in: answer.body) == SimulatorBench.domain)
        #expect(jsonField("displayName", in: answer.body) == "Example Shop")
        #expect(jsonField("merchantIdentifier", in: answer.body) == hash)
        #expect(jsonField("pspId", in: answer.body) == hash)
        #expect(jsonField("epochTimestamp", in: answer.body) == "\(now)000")
        #expect(jsonField("expiresAt", in: answer.body) == "\(now + 3600)000")
        #expect(jsonField("retries", in: answer.body) == "0")
        #expect(jsonField("nonce", in: answer.body)?.count == 8)
        #expect(jsonField("merchantSessionIdentifier", in: answer.body)?.hasPrefix("SSH") == true)
        #expect(
            jsonField("operationalAnalyticsIdentifier", in: answer.body) == "Example Shop:\(hash)")
    }

    @Test func `the signature of a session verifies with openssl up to the EC root`() throws {
        let bench = try SimulatorBench()
        let body = try bench.ask(try bench.client()).body
        let names = [
            "epochTimestamp", "expiresAt", "merchantSessionIdentifier", "nonce",
            "merchantIdentifier", "domainName", "displayName",
        ]
        let signed = names.map { jsonField($0, in: body) ?? "" }.joined(separator: "\n")
        let signature = try #require(
            jsonField("signature", in: body).flatMap { Hexadecimal.decode($0) })
        // As at Apple: BER of indefinite length.
        #expect(Array(signature.prefix(2)) == [0x30, 0x80])
        let message = bench.folder.write("session.cms", signature)
        let content = bench.folder.write("session.txt", Array(signed.utf8))
        let signers = bench.folder.file("signer.pem")
        let done = try ForeignProcess.run(
            "openssl",
            [
                "cms", "-verify", "-inform", "DER", "-in", message, "-content", content, "-binary",
                "-purpose", "any", "-CAfile", bench.folder.file("processing-root.pem"), "-signer",
                signers, "-out", "/dev/null",
            ])
        #expect(done.status == 0, "\(done.errorText)")
        let signer = try Certificate(pem: bench.folder.read("signer.pem"))
        #expect(signer.extensionValue("1.2.840.113635.100.6.29") == [0x05, 0x00])
        let listed = try ForeignProcess.run(
            "openssl", ["cms", "-cmsout", "-print", "-inform", "DER", "-in", message])
        #expect(listed.text.contains("1.2.840.113635.100.6.2.14"))
        #expect(listed.text.contains("signingTime"))
    }

    @Test func `a domain that is not registered is refused in Apple's words`() throws {
        let bench = try SimulatorBench()
        let answer = try bench.ask(
            try bench.client(), body: SimulatorBench.body(domain: "other.example.com"))
        let hash = Hexadecimal.uppercase(SHA256.hash(Array(SimulatorBench.shop.utf8)))
        #expect(answer.status == 400)
        let expected = """
            {"statusMessage":"Payment Services Exception merchantId=\(hash) not registered for \
            domain=other.example.com","statusCode":"400"}
            """
        #expect(answer.body == expected)
    }

    @Test func `one merchant does not get another's session`() throws {
        let bench = try SimulatorBench()
        let other = "merchant.com.example.other"
        try bench.simulator.portal.register(other, domains: [SimulatorBench.domain])
        let answer = try bench.ask(
            try bench.client(), body: SimulatorBench.body(merchant: other))
        #expect(answer.status == 417)
        let message = try #require(jsonField("statusMessage", in: answer.body))
        let one = Hexadecimal.uppercase(SHA256.hash(Array(SimulatorBench.shop.utf8)))
        let two = Hexadecimal.uppercase(SHA256.hash(Array(other.utf8)))
        #expect(
            message.hasPrefix(
                "Payment Services Exception merchantId=\(one) unauthorized to process transactions "
                    + "on behalf of merchantId=\(two) reason="))
        let stranger = try bench.ask(
            try bench.client(), body: SimulatorBench.body(merchant: "merchant.com.example.none"))
        #expect(stranger.status == 417)
        #expect(stranger.body.contains("is not a registered merchant in WWDR"))
    }

    @Test func `bodies are checked`() throws {
        let bench = try SimulatorBench()
        let client = try bench.client()
        for (body, status) in [
            (#"{"merchantIdentifier":"#, 400), ("", 400),
            (SimulatorBench.body(displayName: String(repeating: "a", count: 65)), 400),
            (SimulatorBench.body(initiative: "in_app"), 400),
            (SimulatorBench.body(displayName: String(repeating: "ä", count: 64)), 200),
        ] {
            let answer = try bench.ask(client, body: body)
            #expect(answer.status == status, "\(answer.body)")
            if status == 400 { #expect(jsonField("statusCode", in: answer.body) == "400") }
        }
    }

    @Test func `paths and methods are checked, and the older path serves the older body`() throws {
        let bench = try SimulatorBench()
        let client = try bench.client()
        #expect(try bench.ask(client, path: "/paymentservices/other").status == 404)
        let url = bench.simulator.gatewayURL + "/paymentservices/paymentSession"
        #expect(try bench.curl(client.curlArguments + [url]).status == 405)
        let old = """
            {"merchantIdentifier":"\(SimulatorBench.shop)","displayName":"Shop",\
            "domainName":"\(SimulatorBench.domain)"}
            """
        let answer = try bench.ask(client, body: old, path: "/paymentservices/startSession")
        #expect(answer.status == 200, "\(answer.body)")
    }

    @Test func `with the switch, a session needs an active processing certificate`() throws {
        let bench = try SimulatorBench { $0.requiresActiveProcessing = true }
        let client = try bench.client()
        let before = try bench.ask(client)
        #expect(before.status == 417)
        #expect(before.body.contains("not registered for service"))
        let certificate = try Certificate(
            der: bench.simulator.portal.sign(
                csr: try SimulatorBench.csr(try TestPKI.sharedKey(.ecP256)),
                merchant: SimulatorBench.shop, kind: .paymentProcessing))
        #expect(try bench.ask(client).status == 200)
        try bench.simulator.portal.revoke(serialNumber: certificate.serialNumber)
        #expect(try bench.ask(client).status == 417)
    }

    @Test func `identities can be refused by serial number, while the others are accepted`() throws
    {
        let bench = try SimulatorBench()
        let (fine, refused) = (try bench.client(), try bench.client())
        func order(_ json: String) throws -> SimulatorBench.Answer {
            try bench.curl(
                ["-X", "PUT", "-d", json, bench.simulator.portalURL + "/refusals"])
        }
        for status in [401, 403, 417] {
            let serial = refused.serialNumber.lowercased()
            #expect(try order("{\"\(serial)\":{\"status\":\(status)}}").status == 200)
            #expect(try bench.ask(refused).status == status)
            #expect(try bench.ask(fine).status == 200)
        }
        let ordered = try order("{\"\(refused.serialNumber)\":{\"alert\":45}}")
        #expect(ordered.body == "{\"\(refused.serialNumber)\":{\"alert\":45}}\n")
        let answer = try bench.ask(refused)
        #expect(answer.exit != 0 && answer.errors.contains("expired"), "\(answer.errors)")
        #expect(try bench.ask(fine).status == 200)
        // A connection that was made before is answered in place of the alert.
        #expect(try order("{}").status == 200)
        let kept = try bench.keptConnection(
            refused,
            """
            import subprocess
            first = ask()
            subprocess.run(
                ["curl", "-sS", "--noproxy", "*", "--cacert", ca, "-X", "PUT",
                 f"https://localhost:{portal}/refusals", "-d",
                 '{"\(refused.serialNumber)":{"alert":46}}'], check=True, capture_output=True)
            print(first, ask())
            """)
        #expect(kept.text == "200 401\n", "\(kept.errorText)")
        #expect(try order(#"{"00":{"status":403}}"#).status == 404)
        #expect(try order("{\"\(refused.serialNumber)\":{}}").status == 400)
    }

    @Test func `production and sandbox are two gateways for the same certificates`() throws {
        let bench = try SimulatorBench()
        let client = try bench.client()
        #expect(try bench.ask(client).status == 200)
        let path = "/paymentservices/paymentSession"
        let answer = try bench.curl(
            client.curlArguments
                + ["-d", SimulatorBench.body(), bench.simulator.sandboxGatewayURL + path])
        #expect(answer.status == 200)
        #expect(bench.simulator.log.records.map(\.gateway) == ["production", "sandbox"])
    }

    @Test func `it does not answer to Apple's names`() throws {
        let bench = try SimulatorBench()
        let client = try bench.client()
        let port = bench.simulator.gatewayURL.split(separator: ":").last ?? ""
        let name = "apple-pay-gateway.apple.com"
        let answer = try bench.curl(
            client.curlArguments + [
                "-k", "--resolve", "\(name):\(port):127.0.0.1", "-d", SimulatorBench.body(),
                "https://\(name):\(port)/paymentservices/paymentSession",
            ])
        #expect(answer.exit == 35)
        #expect(answer.errors.contains("unrecognized name"))
        let host = try bench.ask(client, ["-H", "Host: cn-apple-pay-gateway.apple.com"])
        #expect(host.status == 421)
        #expect(throws: SimulatorError.self) {
            try bench.simulator.portal.register(
                "merchant.com.apple", domains: ["www.apple.com"])
        }
    }

    @Test func `what is not HTTP as it should be is refused`() throws {
        let bench = try SimulatorBench()
        let client = try bench.client()
        #expect(try bench.ask(client, ["-H", "Transfer-Encoding: chunked"]).status == 411)
        #expect(try bench.ask(client, ["--http1.0"]).status == 505)
        let long = bench.folder.write("long", [UInt8](repeating: 0x78, count: 300_000))
        #expect(try bench.ask(client, body: "@\(long)").status == 413)
    }
}
