import Problems
import Settings
import TestSupport
import Testing
import WebServer

@Suite struct SettingsTests {
    private func load(
        _ file: String? = nil, environment: [String: String] = [:],
        flags: [String: [String]] = [:]
    ) throws(SettingsError) -> ResolvedSettings {
        try Settings.load(
            contents: file.map { Array($0.utf8) }, filePath: "/home/purser.json5",
            environment: environment, flags: flags)
    }

    private func faults(
        _ file: String? = nil, environment: [String: String] = [:],
        flags: [String: [String]] = [:]
    ) -> [String] {
        do throws(SettingsError) {
            _ = try load(file, environment: environment, flags: flags)
            return []
        } catch {
            guard case .faults(let faults) = error else { return [error.summary] }
            return faults.map(\.text)
        }
    }

    // MARK: What is read

    @Test(arguments: [
        nil, "{}", "// nothing\n{ /* at all */ }", "{ serve: {}, listen: ['127.0.0.1:8765'] }",
    ])
    func `without anything set the defaults hold`(_ file: String?) throws {
        let resolved = try load(file)
        #expect(resolved.settings == Settings())
        #expect(resolved.unlockFile == nil)
        #expect(resolved.settings.listen == [.ipv4("127.0.0.1", port: 8765)])
    }

    @Test func `a file in JSON5 is read`() throws {
        let settings = try load(
            """
            {
              // where the checkout asks
              listen: ["127.0.0.1:9000", 'unix:/run/purser.sock',],
              "session": { connectTimeoutSeconds: 2, totalTimeoutSeconds: 8 },
              serve: {
                drainSeconds: 0, maximumBodyBytes: 0x8000, maximumInFlight: 10,
                maximumConnections: 20, requestTimeoutSeconds: 9, reloadIntervalMilliseconds: 100,
                workers: 3,
              },
              check: { warningDays: 60, criticalDays: 14 },
              log: { level: "debug" },
              masterKeyFile: "/etc/purser/key",
            }
            """
        ).settings
        #expect(settings.listen.map { "\($0)" } == ["127.0.0.1:9000", "unix:/run/purser.sock"])
        #expect(settings.session.connectTimeoutSeconds == 2)
        #expect(settings.session.totalTimeoutSeconds == 8)
        #expect(settings.serve.drainSeconds == 0)
        #expect(settings.serve.maximumBodyBytes == 32_768)
        #expect(settings.serve.maximumInFlight == 10)
        #expect(settings.serve.maximumConnections == 20)
        #expect(settings.serve.requestTimeoutSeconds == 9)
        #expect(settings.serve.reloadIntervalMilliseconds == 100)
        #expect(settings.serve.workers == 3)
        #expect(settings.check.warningDays == 60)
        #expect(settings.check.criticalDays == 14)
        #expect(settings.log.level == .debug)
        #expect(settings.masterKeyFile == "/etc/purser/key")
    }

    @Test func `every setting has its variable`() throws {
        let environment = [
            "PURSER_LISTEN": "[::1]:1,unix:/a", "PURSER_SESSION_CONNECT_TIMEOUT_SECONDS": "1",
            "PURSER_SESSION_TOTAL_TIMEOUT_SECONDS": "5", "PURSER_SERVE_DRAIN_SECONDS": "1",
            "PURSER_SERVE_MAXIMUM_BODY_BYTES": "2048", "PURSER_SERVE_MAXIMUM_IN_FLIGHT": "3",
            "PURSER_SERVE_MAXIMUM_CONNECTIONS": "4", "PURSER_SERVE_REQUEST_TIMEOUT_SECONDS": "6",
            "PURSER_SERVE_WORKERS": "3",
            "PURSER_SERVE_RELOAD_INTERVAL_MILLISECONDS": "50", "PURSER_CHECK_WARNING_DAYS": "9",
            "PURSER_CHECK_CRITICAL_DAYS": "8", "PURSER_CHECK_DUE_DAYS": "44",
            "PURSER_CHECK_WINDOWS": "payment-processing due=90,merchant.com.example.x due=70",
            "PURSER_ROTATION_GRACE_DAYS": "1", "PURSER_ROTATION_QUIET_DAYS": "2",
            "PURSER_ROTATION_RETENTION_DAYS": "3", "PURSER_ROTATION_STALL_DAYS": "4",
            "PURSER_WATCH_REHEARSE_HOURS": "7", "PURSER_WATCH_DOMAIN_HOURS": "0",
            "PURSER_ALERTS_MAIL_SERVER": "smtps://mail.example.com:465",
            "PURSER_ALERTS_MAIL_ENCRYPTION": "tls", "PURSER_ALERTS_MAIL_FROM": "p@example.com",
            "PURSER_ALERTS_MAIL_USER": "purser", "PURSER_ALERTS_MAIL_PASSWORD_FILE": "/p",
            "PURSER_ALERTS_MAIL_SECURITY": "a@example.com,b@example.com",
            "PURSER_ALERTS_MAIL_CA_FILE": "/c", "PURSER_ALERTS_TEXTFILE": "/t",
            "PURSER_ALERTS_WEBHOOK_URL": "https://hooks.example.com/a?b=c",
            "PURSER_ALERTS_WEBHOOK_SECRET_FILE": "/s", "PURSER_ALERTS_WEBHOOK_CA_FILE": "/c",
            "PURSER_ALERTS_HEARTBEAT_URL": "https://alive.example.com",
            "PURSER_ALERTS_HEARTBEAT_CA_FILE": "/c", "PURSER_WATCH_EVERY_SECONDS": "60",
            "PURSER_WATCH_IN_SERVE": "600",
            "PURSER_SESSION_ADDRESS_FAMILY": "ipv4",
            "PURSER_SERVE_TRUSTED_PROXIES": "10.0.0.0/8,unix",
            "PURSER_SERVE_SOCKET_USERS": "www-data",
            "PURSER_LIMITS_TOKEN_REQUESTS": "5", "PURSER_LIMITS_MERCHANT_REQUESTS": "7",
            "PURSER_LOG_LEVEL": "error",
            "PURSER_PASSPHRASE_FILE": "relative/file",
        ]
        let resolved = try load(environment: environment)
        #expect(resolved.unlockFile == .passphrase("relative/file"))
        let others = ["masterKeyFile", "recoveryKeyFile"]
        for entry in resolved.entries where !others.contains(entry.key) {
            guard case .environment(let variable) = entry.source else {
                Issue.record("\(entry)")
                continue
            }
            #expect(environment[variable] == entry.value.description)
        }
        let other = try load(environment: ["PURSER_MASTER_KEY_FILE": "/k"])
        #expect(other.unlockFile == .masterKey("/k"))
        let third = try load(environment: ["PURSER_RECOVERY_KEY_FILE": "/r"])
        #expect(third.unlockFile == .recoveryKey("/r"))
    }

    @Test func `a flag beats the environment, which beats the file, which beats the default`()
        throws
    {
        let file = "{ listen: ['127.0.0.1:1'], masterKeyFile: '/file', log: { level: 'debug' } }"
        func source(_ key: String, _ environment: [String: String], _ flags: [String: [String]])
            throws -> String
        {
            let entry = try load(file, environment: environment, flags: flags).entries
                .first { $0.key == key }
            return entry.map { "\($0.value) (\($0.source))" } ?? ""
        }
        #expect(try source("check.warningDays", [:], [:]) == "30 (default)")
        #expect(try source("listen", [:], [:]) == "127.0.0.1:1 (file /home/purser.json5)")
        let environment = ["PURSER_LISTEN": "127.0.0.1:2", "PURSER_LOG_LEVEL": ""]
        #expect(try source("listen", environment, [:]) == "127.0.0.1:2 (environment PURSER_LISTEN)")
        #expect(try source("log.level", environment, [:]) == "debug (file /home/purser.json5)")
        let flags = ["listen": ["localhost:3", "[::1]:3"], "json": [""]]
        #expect(try source("listen", environment, flags) == "127.0.0.1:3,[::1]:3 (flag --listen)")
        #expect(
            try source("masterKeyFile", [:], ["master-key-file": ["here"]])
                == "here (flag --master-key-file)")
    }

    @Test func `of two files that unlock the vault the one given more strongly counts`() throws {
        let file = "{ masterKeyFile: '/file' }"
        let variable = ["PURSER_PASSPHRASE_FILE": "/variable"]
        #expect(try load(file, environment: variable).unlockFile == .passphrase("/variable"))
        let flags = ["master-key-file": ["/flag"]]
        #expect(
            try load(file, environment: variable, flags: flags).unlockFile == .masterKey("/flag"))
        #expect(
            faults("{ masterKeyFile: '/a', passphraseFile: '/b' }")
                == ["masterKeyFile and passphraseFile are given in one place"])
        let both = ["PURSER_PASSPHRASE_FILE": "/a", "PURSER_MASTER_KEY_FILE": "/b"]
        do {
            _ = try load("{}", environment: both)
            Issue.record("both were taken")
        } catch {
            #expect(
                error.remedy == "unset one of them: unset PURSER_MASTER_KEY_FILE, or: "
                    + "unset PURSER_PASSPHRASE_FILE")
        }
        #expect(
            faults("{ masterKeyFile: '/a', passphraseFile: '/b', recoveryKeyFile: '/c' }").count
                == 1)
        let recovery = ["recovery-key-file": ["/paper"]]
        #expect(
            try load(file, environment: variable, flags: recovery).unlockFile
                == .recoveryKey("/paper"))
    }

    // MARK: What is refused

    @Test func `all faults are told at once, each with its place`() {
        let found = faults(
            """
            { listen: [], serve: { drainSecond: 1, maximumBodyBytes: 1 }, log: 5, drainSeconds: 3,
              masterKeyFile: "relative", frobnicate: true }
            """,
            environment: ["PURSER_CHECK_WARNING_DAYS": "many", "PURSER_SERVE_DRAIN_SECONDS": "+5"])
        let place = "(file /home/purser.json5)"
        #expect(
            found == [
                "there is no setting \"serve.drainSecond\", perhaps \"serve.drainSeconds\" is meant",
                "log must be an object, not a number \(place)",
                "there is no setting \"drainSeconds\", perhaps \"serve.drainSeconds\" is meant",
                "there is no setting \"frobnicate\"",
                "listen must be a list of addresses such as 127.0.0.1:8765, [::1]:8765 or unix:/path"
                    + " \(place)",
                "serve.drainSeconds must be a whole number from 0 to 600"
                    + " (environment PURSER_SERVE_DRAIN_SECONDS)",
                "serve.maximumBodyBytes must be a whole number from 1024 to 1048576 \(place)",
                "check.warningDays must be a whole number from 1 to 365"
                    + " (environment PURSER_CHECK_WARNING_DAYS)",
                "masterKeyFile must be a path that begins with a slash \(place)",
            ])
    }

    @Test(arguments: [
        "serve: { drainSeconds: '15' }", "serve: { drainSeconds: 1.5 }",
        "serve: { drainSeconds: -1 }", "serve: { drainSeconds: 601 }",
        "serve: { drainSeconds: 1e99 }", "serve: { drainSeconds: null }",
        "serve: { drainSeconds: true }", "serve: { drainSeconds: Infinity }",
        "serve: { reloadIntervalMilliseconds: 501 }", "serve: { workers: 65 }",
        "serve: []", "log: { level: 'loud' }",
        "log: { level: 1 }", "listen: '127.0.0.1:1'", "listen: [1]", "listen: ['shop.example:1']",
        "listen: ['127.0.0.1:1', '127.0.0.1:1']", "masterKeyFile: ''", "masterKeyFile: ['/a']",
        "check: { warningDays: 5 }", "session: { connectTimeoutSeconds: 11 }",
        "session: { totalTimeoutSeconds: 15 }", "Listen: []", "constructor: {}",
        "'serve.drainSeconds': 15.5",
    ])
    func `a value that breaks its rule is refused`(_ text: String) {
        #expect(faults("{ \(text) }").count == 1)
    }

    @Test func `a wrong value is told even where a stronger one replaces it`() {
        let found = faults(
            "{ log: { level: 'loud' } }", environment: ["PURSER_LOG_LEVEL": "info"])
        #expect(found == ["log.level must be debug, info or error (file /home/purser.json5)"])
    }

    @Test(arguments: [
        ["listen": [""]], ["listen": []], ["listen": ["127.0.0.1"]], ["master-key-file": [""]],
        ["master-key-file": ["a", "b"]], ["passphrase-file": ["a\0b"]],
    ])
    func `a flag that breaks its rule is refused`(_ flags: [String: [String]]) {
        #expect(faults(flags: flags).count == 1)
    }

    @Test(arguments: [
        ("{\n  listen: [\n  serve: {}\n}", 3), ("", 1), ("[]", 1), ("5", 1), ("{}\n{}", 2),
        ("{\n log: {},\n log: {} }", 3),
    ])
    func `what is not JSON5 is refused with its line`(_ file: String, _ line: Int) {
        let error = #expect(throws: SettingsError.self) { try load(file) }
        guard case .malformed("/home/purser.json5", line, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a key from a file is shown without its odd characters`() {
        let found = faults(#"{ 'a\u001B[31m\nb': 1 }"#)
        #expect(found == ["there is no setting \"a?[31m?b\""])
    }

    // MARK: Wrong ones shown

    private func survey(
        _ file: String? = nil, environment: [String: String] = [:],
        flags: [String: [String]] = [:]
    ) -> SettingsSurvey {
        SettingsSurvey(
            contents: file.map { Array($0.utf8) }, filePath: "/home/purser.json5",
            environment: environment, flags: flags)
    }

    @Test func `a wrong setting keeps no other from being shown`() throws {
        let seen = survey(
            """
            { serve: { drainSeconds: 601, drainSecond: 1, maximumInFlight: 7 }, session: [],
              log: { level: 'loud' }, check: { warningDays: 5 } }
            """, environment: ["PURSER_LOG_LEVEL": "debug", "PURSER_SERVE_MAXIMUM_IN_FLIGHT": "x"])
        func line(_ key: String) throws -> SettingsSurvey.Line {
            try #require(seen.lines.first { $0.key == key })
        }
        let file = SettingSource.file("/home/purser.json5")
        // What counts cannot be read: no value, and the place of the wrong one.
        #expect(try line("serve.drainSeconds").value == .none)
        #expect(try line("serve.drainSeconds").source == file)
        #expect(try line("serve.maximumInFlight").value == .none)
        #expect(
            try line("serve.maximumInFlight").source
                == .environment("PURSER_SERVE_MAXIMUM_IN_FLIGHT"))
        // A stronger value that is sound is in force, and the wrong one is told all the same.
        #expect(try line("log.level").value == .text("debug"))
        #expect(try line("log.level").faults.count == 1)
        // A contradiction marks each setting that it names.
        #expect(try line("check.warningDays").faults == line("check.criticalDays").faults)
        #expect(try line("check.warningDays").value == .integer(5))
        #expect(try line("serve.drainSecond").faults.count == 1)
        #expect(try line("session").value == .none && line("session").faults.count == 1)
        #expect(try line("listen").faults == [] && line("listen").source == .standard)
        let faults = Set(seen.lines.flatMap(\.faults).map(\.text))
        guard case .faults(let all) = seen.error else {
            Issue.record("\(String(describing: seen.error))")
            return
        }
        #expect(faults == Set(all.map(\.text)) && all.count == 6)
        #expect(all.allSatisfy { !$0.remedy.isEmpty && $0.remedy.count <= 120 })
    }

    @Test func `of a broken file the rest is shown`() throws {
        let seen = survey("{ log: ", environment: ["PURSER_LOG_LEVEL": "error"])
        #expect(seen.isFileMalformed)
        #expect(seen.lines.first { $0.key == "log.level" }?.value == .text("error"))
        #expect(seen.lines.allSatisfy { $0.faults.isEmpty })
    }

    @Test func `where nothing is wrong the survey is what is in force`() throws {
        let flags = ["listen": ["[::1]:1"]]
        let entries = try load("{ log: { level: 'error' } }", flags: flags).entries
        let seen = survey("{ log: { level: 'error' } }", flags: flags)
        #expect(seen.error == nil && seen.lines.map(\.key) == entries.map(\.key))
        #expect(seen.lines.map(\.value) == entries.map(\.value))
        #expect(seen.lines.map(\.source) == entries.map(\.source))
    }

    // MARK: What is said about them

    @Test func `the documentation is a file of settings with the defaults`() throws {
        #expect(try load(Settings.documentation).settings == Settings())
        for entry in try load().entries {
            let variable = "PURSER_"
            #expect(Settings.documentation.contains(entry.key.split(separator: ".").last ?? "?"))
            #expect(Settings.documentation.contains(variable))
        }
        #expect(Settings.documentation.contains("PURSER_SERVE_RELOAD_INTERVAL_MILLISECONDS"))
        #expect(Settings.documentation.contains("; --passphrase-file"))
        #expect(Settings.documentation.split(separator: "\n").allSatisfy { $0.count <= 100 })
    }

    @Test func `python reads the documentation's keys as the table names them`() async throws {
        // A foreign reader: comments removed, bare keys quoted, it is plain JSON.
        let script = """
            import json, re, sys
            text = re.sub(r"//.*", "", sys.stdin.read())
            text = re.sub(r"(\\w+):(?= )", r'"\\1":', text)
            text = re.sub(r",(\\s*[}\\]])", r"\\1", text)
            def walk(value, key):
                if isinstance(value, dict):
                    for inner in value:
                        walk(value[inner], f"{key}.{inner}" if key else inner)
                else:
                    print(key)
            walk(json.loads(text), "")
            """
        let read = try await ForeignProcess.runBeside(
            "python3", ["-c", script], input: Array(Settings.documentation.utf8))
        let keys = try load().entries.filter { $0.value != .none }.map(\.key)
        #expect(read.text.split(separator: "\n").map(String.init) == keys)
    }

    @Test func `every failure is explained`() {
        for error in SettingsError.examples {
            #expect(!error.remedy.isEmpty && error.remedy.count <= 120)
            #expect(error.summary.count <= 120 && error.nature == .configuration)
        }
    }

    // MARK: Where they are

    @Test func `the home comes from its flag, its variable or the default, never from elsewhere`() {
        var location = HomeLocation(flags: [:], environment: ["PURSER_HOME": "", "HOME": "/root"])
        #expect(location.home == "/var/lib/purser")
        #expect(location.homeSource == .standard)
        #expect(location.configuration == "/var/lib/purser/purser.json5")
        #expect(!location.mustExist)

        location = HomeLocation(flags: [:], environment: ["PURSER_HOME": "/srv/p/"])
        #expect(location.home == "/srv/p/")
        #expect(location.homeSource == .environment("PURSER_HOME"))
        #expect(location.configuration == "/srv/p/purser.json5")

        location = HomeLocation(
            flags: ["home": ["/h"], "config": ["c.json5"]], environment: ["PURSER_HOME": "/srv"])
        #expect(location.home == "/h")
        #expect(location.homeSource == .flag("--home"))
        #expect(location.configuration == "c.json5")
        #expect(location.mustExist)
    }
}
