import Merchants
import Testing

@testable import Sessions

@Suite struct ValidationURLTests {
    private func environment(of url: String) -> String? {
        ValidationURL.environment(of: url, among: GatewayEnvironment.builtIn)?.name.text
    }

    @Test(arguments: [
        ("https://apple-pay-gateway.apple.com", "production"),
        ("https://cn-apple-pay-gateway.apple.com", "production-cn"),
        ("https://apple-pay-gateway-cert.apple.com", "sandbox"),
        ("https://cn-apple-pay-gateway-cert.apple.com", "sandbox-cn"),
        ("https://apple-pay-gateway.apple.com:443", "production"),
        ("HTTPS://Apple-Pay-Gateway.APPLE.com", "production"),
    ])
    func `a gateway's own address with one of Apple's two paths names its environment`(
        origin: String, name: String
    ) {
        #expect(environment(of: origin + "/paymentservices/startSession") == name)
        #expect(environment(of: origin + "/paymentservices/paymentSession") == name)
    }

    /// What has been used to make a server call somewhere else.
    private static let forms = [
        // Another place.
        "https://attacker.example/paymentservices/startSession",
        "https://apple-pay-gateway.apple.com.attacker.example/paymentservices/startSession",
        "https://attacker-apple-pay-gateway.apple.com/paymentservices/startSession",
        "https://apple.com/paymentservices/startSession",
        "https://apple-pay-gateway-nc-pod1.apple.com/paymentservices/startSession",
        "https://17.171.85.7/paymentservices/startSession",
        "https://127.0.0.1/paymentservices/startSession",
        "https://[::1]/paymentservices/startSession",
        "https://2130706433/paymentservices/startSession",
        "https://localhost/paymentservices/startSession",
        "https://169.254.169.254/latest/meta-data",
        // User information.
        "https://apple-pay-gateway.apple.com@attacker.example/paymentservices/startSession",
        "https://apple-pay-gateway.apple.com:443@attacker.example/paymentservices/startSession",
        "https://user:secret@apple-pay-gateway.apple.com/paymentservices/startSession",
        "https://@apple-pay-gateway.apple.com/paymentservices/startSession",
        // Schemes and ports.
        "http://apple-pay-gateway.apple.com/paymentservices/startSession",
        "file:///etc/passwd", "gopher://apple-pay-gateway.apple.com/paymentservices/startSession",
        "//apple-pay-gateway.apple.com/paymentservices/startSession",
        "https:apple-pay-gateway.apple.com/paymentservices/startSession",
        "https:///apple-pay-gateway.apple.com/paymentservices/startSession",
        "https://apple-pay-gateway.apple.com:8443/paymentservices/startSession",
        "https://apple-pay-gateway.apple.com:80/paymentservices/startSession",
        "https://apple-pay-gateway.apple.com:/paymentservices/startSession",
        "https://apple-pay-gateway.apple.com:0443/paymentservices/startSession",
        // Where parsers differ.
        "https://apple-pay-gateway.apple.com\\@attacker.example/paymentservices/startSession",
        "https://attacker.example\\.apple-pay-gateway.apple.com/paymentservices/startSession",
        "https://attacker.example#apple-pay-gateway.apple.com/paymentservices/startSession",
        "https://attacker.example?apple-pay-gateway.apple.com/paymentservices/startSession",
        "https:\\\\apple-pay-gateway.apple.com\\paymentservices\\startSession",
        " https://apple-pay-gateway.apple.com/paymentservices/startSession",
        "https://apple-pay-gateway.apple.com/paymentservices/startSession ",
        "https://apple-pay-gateway.apple.com/paymentservices/startSession\n",
        "https://apple-pay-gateway.apple.com/paymentservices/startSession\r\nHost: attacker.example",
        "https://apple-pay-gateway.apple.com/paymentservices/startSession\u{0}",
        "https://apple-pay-gateway.apple.com\u{0}.attacker.example/paymentservices/startSession",
        "https://apple-pay-gateway.apple.com\t/paymentservices/startSession",
        "https://apple-pay-gateway.apple.com./paymentservices/startSession",
        "https://apple-pay-gateway%2eapple.com/paymentservices/startSession",
        // Other letters that fold to the same.
        "https://apple-pay-gateway.apple。com/paymentservices/startSession",
        "https://ａpple-pay-gateway.apple.com/paymentservices/startSession",
        "https://\u{0430}pple-pay-gateway.apple.com/paymentservices/startSession",
        "https://apple-pay-gateway.apple.com/payments\u{435}rvices/startSession",
        "https://apple-pay-gateway.apple.com/paymentservices/startSessio\u{6E}\u{200D}",
        "https://apple-pay-gateway.apple.com\u{212A}/paymentservices/startSession",
        // Other paths.
        "https://apple-pay-gateway.apple.com", "https://apple-pay-gateway.apple.com/",
        "https://apple-pay-gateway.apple.com/paymentservices/startSession/",
        "https://apple-pay-gateway.apple.com//paymentservices/startSession",
        "https://apple-pay-gateway.apple.com/paymentservices/StartSession",
        "https://apple-pay-gateway.apple.com/paymentservices/../paymentservices/startSession",
        "https://apple-pay-gateway.apple.com/paymentservices/%73tartSession",
        "https://apple-pay-gateway.apple.com/paymentservices/registerMerchant",
        "https://apple-pay-gateway.apple.com/paymentservices/startSession?x=1",
        "https://apple-pay-gateway.apple.com/paymentservices/startSession#x",
        "https://apple-pay-gateway.apple.com/paymentservices/startSession;x",
        "", "https://", "apple-pay-gateway.apple.com",
    ]

    @Test(arguments: forms)
    func `anything else names none`(url: String) {
        #expect(environment(of: url) == nil)
    }

    @Test func `what is long is not looked at`() {
        let url =
            "https://apple-pay-gateway.apple.com/paymentservices/startSession"
            + String(repeating: "x", count: 1_000_000)
        #expect(environment(of: url) == nil)
    }

    @Test func `an operator's gateway needs its own port`() throws {
        let lab = GatewayEnvironment(
            name: try EnvironmentName("lab"), realm: try RealmName("lab"),
            gateway: try GatewayAddress("https://localhost:8443"), gatewayCA: nil, proxy: nil,
            isBuiltIn: false)
        let path = "/paymentservices/startSession"
        let known = [lab]
        #expect(ValidationURL.environment(of: "https://localhost:8443\(path)", among: known) == lab)
        #expect(ValidationURL.environment(of: "https://localhost\(path)", among: known) == nil)
        #expect(ValidationURL.environment(of: "https://localhost:443\(path)", among: known) == nil)
        let apple = "https://apple-pay-gateway.apple.com\(path)"
        #expect(ValidationURL.environment(of: apple, among: known) == nil)
    }
}
