import Settings
import Testing

/// Whom to tell, and what makes no sense.
@Suite struct AlertSettingsTests {
    private func survey(_ contents: String) -> SettingsSurvey {
        SettingsSurvey(
            contents: Array(contents.utf8), filePath: "/purser.json5", environment: [:], flags: [:])
    }

    @Test func `sections lie in sections`() throws {
        let resolved = try Settings.load(
            contents: Array(
                """
                { alerts: {
                    mail: { server: "smtp://localhost:25", encryption: "none", from: "p@example.com",
                            security: ["s@example.com"] },
                    textfile: "/var/lib/node_exporter/purser.prom",
                    heartbeat: { url: "https://alive.example.com/1" } },
                  watch: { inServe: 300 } }
                """.utf8), filePath: "/purser.json5", environment: [:], flags: [:])
        let alerts = resolved.settings.alerts
        #expect(alerts.mail.server == "smtp://localhost:25" && alerts.mail.encryption == .none)
        #expect(alerts.mail.security == ["s@example.com"])
        #expect(alerts.textfile == "/var/lib/node_exporter/purser.prom")
        #expect(alerts.heartbeat.url == "https://alive.example.com/1")
        #expect(resolved.settings.watch.inServe == 300)
    }

    @Test(arguments: [
        "http://localhost", "http://localhost:8080/a?b", "http://127.0.0.1/", "http://127.9.9.9:1",
        "http://[::1]:1/", "https://hooks.example.com",
    ])
    func `receivers on this machine may be told without TLS`(url: String) {
        for name in ["webhook", "heartbeat"] {
            #expect(survey("{ alerts: { \(name): { url: \"\(url)\" } } }").error == nil)
        }
    }

    @Test func `a wrong value is told once, and not as one that is missing`() throws {
        let error = survey(
            "{ alerts: { webhook: { url: \"http://hooks.example.com\", secretFile: \"/s\" } } }"
        ).error
        guard case .faults(let faults) = error, faults.count == 1,
            case .wrongValue("alerts.webhook.url", _, _) = faults[0]
        else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a secret may be a credential that systemd hands over`() throws {
        let resolved = try Settings.load(
            contents: Array(
                """
                { alerts: { webhook: { url: "https://h.example.com",
                                       secretFile: "credential:webhook-secret" } } }
                """.utf8), filePath: "/purser.json5", environment: [:], flags: [:])
        let value = try #require(resolved.settings.alerts.webhook.secretFile)
        #expect(Settings.Alerts.credential(in: value) == "webhook-secret")
        #expect(Settings.Alerts.credential(in: "/credential:x") == nil)
        for name in ["", ".", "..", "../x", "a/b"] {
            let inner = "url: \"https://h.example.com\", secretFile: \"credential:\(name)\""
            #expect(survey("{ alerts: { webhook: { \(inner) } } }").error != nil)
        }
    }

    @Test(arguments: [
        (
            "https://hooks.example.com:8443/services/T0/B0/s3cret?x=1",
            "https://hooks.example.com:8443/…"
        ),
        ("https://hooks.example.com?key=s3cret", "https://hooks.example.com/…"),
        ("https://hooks.example.com", "https://hooks.example.com"),
    ])
    func `of an address that is a secret the host is shown, and the whole is used`(
        url: String, shown: String
    ) throws {
        let contents = "{ alerts: { webhook: { url: '\(url)' }, heartbeat: { url: '\(url)' } } }"
        for key in ["alerts.webhook.url", "alerts.heartbeat.url"] {
            #expect(survey(contents).lines.first { $0.key == key }?.value == .text(shown))
        }
        let resolved = try Settings.load(
            contents: Array(contents.utf8), filePath: "/purser.json5", environment: [:], flags: [:])
        #expect(resolved.settings.alerts.webhook.url == url)
    }

    @Test(arguments: [
        "{ alerts: { mail: { server: \"smtps://mail.example.com\" } } }",
        "{ alerts: { mail: { from: \"p@example.com\" } } }",
        "{ alerts: { mail: { security: [\"p@example.com\"] } } }",
        """
        { alerts: { mail: { server: "smtps://mail.example.com", from: "p@example.com",
          user: "p" } } }
        """,
        """
        { alerts: { mail: { server: "smtps://mail.example.com", from: "p@example.com",
          passwordFile: "/p" } } }
        """,
        """
        { alerts: { mail: { server: "smtps://mail.example.com", from: "p@example.com",
          encryption: "none" } } }
        """,
        "{ alerts: { webhook: { secretFile: \"/s\" } } }",
        "{ alerts: { heartbeat: { caFile: \"/s\" } } }",
    ])
    func `alerts that could reach nobody are refused`(contents: String) {
        guard case .faults(let faults) = survey(contents).error else {
            Issue.record("\(contents) is taken")
            return
        }
        #expect(faults.count == 1)
        guard case .contradiction = faults[0] else {
            Issue.record("\(faults)")
            return
        }
    }

    @Test(arguments: [
        "webhook: { url: \"http://hooks.example.com\" }",
        "webhook: { url: \"http://127.0.0.1.example.com\" }",
        "webhook: { url: \"http://localhost@hooks.example.com\" }",
        "webhook: { url: \"http://localhost\\\\@hooks.example.com\" }",
        "webhook: { url: \"http://localhost:1x\" }",
        "webhook: { url: \"https://h.example.com\", caFile: \"credential:x\" }",
        "webhook: { url: \"https://\" }",
        "webhook: { url: \"https://user:secret@hooks.example.com\" }",
        "webhook: { url: \"https://hooks.example.com/a b\" }",
        "heartbeat: { url: \"ftp://alive.example.com\" }", "mail: { server: \"mail.example.com\" }",
        "mail: { server: \"smtps://u:secret@mail.example.com\" }", "mail: { from: \"nobody\" }",
        "mail: { security: [\"a@example.com\", \"a@example.com\"] }",
        "mail: { security: [\"a@example.com\\r\\nBcc: b@example.com\"] }",
        "mail: { security: \"a@example.com\" }", "textfile: \"relative\"", "mail: 1",
        "mail: { encryption: \"some\" }", "mail: { sender: \"a@example.com\" }",
    ])
    func `what breaks its rule is told, without the value`(inner: String) {
        let error = survey("{ alerts: { \(inner) } }").error
        #expect(error != nil)
        if case .faults(let faults) = error { #expect(faults.count == 1, "\(faults)") }
        #expect(error?.summary.contains("secret") == false)
    }
}
