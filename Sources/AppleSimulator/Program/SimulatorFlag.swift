import TLSServer

/// One flag of `applesim`: its name, its value, its line of help, and what it sets.
struct SimulatorFlag {
    let name: String
    /// How the value is called in the help; nil for a flag without one.
    let value: String?
    let help: String
    var isRepeatable = false
    /// False for a malformed value.
    let set: (inout SimulatorArguments, String) -> Bool

    /// All flags, in the order of the help.
    static var all: [SimulatorFlag] { basics + manners + acts }

    private static var basics: [SimulatorFlag] {
        [
            number("port", "PORT", "the production gateway's port; 0, the default, for any") {
                $0.configuration.gatewayPort = $1
            },
            number("sandbox-port", "PORT", "the sandbox gateway's port") {
                $0.configuration.sandboxPort = $1
            },
            number("portal-port", "PORT", "the portal's port") { $0.configuration.portalPort = $1 },
            text("directory", "DIR", "where roots and addresses are written (required)") {
                $0.directory = $1
            },
            SimulatorFlag(
                name: "merchant", value: "ID=DOMAIN,…", help: "register a merchant; repeatable",
                isRepeatable: true
            ) { arguments, text in
                let sides = text.split(separator: "=", maxSplits: 1)
                guard let identifier = sides.first else { return false }
                let domains = sides.count > 1 ? sides[1].split(separator: ",") : []
                arguments.merchants.append((String(identifier), domains.map(String.init)))
                return true
            },
            text("team", "ID", "the team identifier in certificates") {
                $0.configuration.team = $1
            },
            text(
                "ocsp-url", "URL",
                "the OCSP responder in certificates; identity-ocsp.pem may sign"
            ) {
                $0.configuration.ocspURL = $1
            },
            text("log", "FILE", "append the gateways' log to FILE, as JSON lines") {
                $0.configuration.logPath = $1
            },
            number("seed", "N", "what the dice of probabilities start from") {
                $0.configuration.seed = $1
            },
            choice("newest-tls", TLSVersion.self, "the newest protocol version") {
                $0.configuration.newestTLS = $1
            },
            SimulatorFlag(
                name: "require-active-processing", value: nil,
                help: "refuse sessions while no payment processing certificate is active"
            ) { arguments, _ in
                arguments.configuration.requiresActiveProcessing = true
                return true
            },
        ]
    }

    private static var manners: [SimulatorFlag] {
        [
            number("latency", "MS", "wait before every answer") {
                $0.configuration.rudeness.latencyMilliseconds = $1
            },
            number("latency-jitter", "MS", "wait up to so much longer") {
                $0.configuration.rudeness.latencyJitterMilliseconds = $1
            },
            number("idle-close", "MS", "close kept connections after so much silence") {
                $0.configuration.rudeness.idleCloseMilliseconds = $1
            },
            choice(
                "server-certificate", Rudeness.ServerCertificate.self,
                "which certificate the gateways show"
            ) { $0.configuration.rudeness.serverCertificate = $1 },
            number("status", "CODE", "what --answer-status answers; 500 unless told") {
                $0.configuration.rudeness.status = $1
            },
            SimulatorFlag(
                name: "alert",
                value: TLSAlert.allCases.map { "\($0.rawValue)" }.joined(separator: "|"),
                help: "what --refuse-client refuses with; 46 unless told"
            ) { arguments, text in
                guard let alert = UInt8(text).flatMap(TLSAlert.init(rawValue:)) else {
                    return false
                }
                arguments.configuration.rudeness.alert = alert
                return true
            },
            number("huge-body-bytes", "N", "the length of --huge-body") {
                $0.configuration.rudeness.hugeBodyBytes = $1
            },
        ]
    }

    private static var acts: [SimulatorFlag] {
        RudeAct.allCases.map { act in
            SimulatorFlag(name: act.rawValue, value: "WHEN", help: act.help) { arguments, text in
                guard let frequency = Frequency(text) else { return false }
                arguments.configuration.rudeness.acts[act] = frequency
                return true
            }
        }
    }

    private static func text(
        _ name: String, _ value: String, _ help: String,
        _ set: @escaping (inout SimulatorArguments, String) -> Void
    ) -> SimulatorFlag {
        SimulatorFlag(name: name, value: value, help: help) { arguments, text in
            set(&arguments, text)
            return !text.isEmpty
        }
    }

    private static func number<Number: FixedWidthInteger>(
        _ name: String, _ value: String, _ help: String,
        _ set: @escaping (inout SimulatorArguments, Number) -> Void
    ) -> SimulatorFlag {
        SimulatorFlag(name: name, value: value, help: help) { arguments, text in
            guard let number = Number(text), number >= 0 else { return false }
            set(&arguments, number)
            return true
        }
    }

    private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String, _ type: Choice.Type, _ help: String,
        _ set: @escaping (inout SimulatorArguments, Choice) -> Void
    ) -> SimulatorFlag {
        let known = Choice.allCases.map(\.rawValue).joined(separator: "|")
        return SimulatorFlag(name: name, value: known, help: help) { arguments, text in
            guard let choice = Choice(rawValue: text) else { return false }
            set(&arguments, choice)
            return true
        }
    }
}

extension SimulatorArguments {
    /// What `--help` prints.
    static var help: String {
        var lines = [
            "usage: applesim --directory DIR [flags]", "",
            "A stand-in for Apple, on loopback alone: portal, production and sandbox gateway.",
            "It writes DIR/gateway-ca.pem, the roots and intermediates, and last DIR/address.json,",
            "prints one line, and serves until SIGTERM.", "",
            "WHEN is always, next=N or probability=P.", "",
        ]
        for flag in SimulatorFlag.all {
            let head = "  --\(flag.name)" + (flag.value.map { " \($0)" } ?? "")
            if head.count < 30 {
                lines.append(head + String(repeating: " ", count: 30 - head.count) + flag.help)
            } else {
                lines += [head, String(repeating: " ", count: 30) + flag.help]
            }
        }
        lines += [
            "  --help                      this text", "", "The portal, over HTTPS:", "",
            "  POST /merchants             {\"identifier\":ID,\"domains\":[…],\"team\":ID}",
            "  POST /certificates?merchant=ID&kind=KIND[&fault=NAME,…][&days=N]",
            "                              a CSR (PEM or DER) for a certificate (DER)",
            "  GET  /certificates[?merchant=ID]   POST /activate?serial=HEX   POST /revoke?serial=HEX",
            "  GET  /log   DELETE /log     the gateways' log as JSON lines",
            "  GET  /rudeness   PUT /rudeness     {\"status\":503,\"acts\":{\"answer-status\":\"next=2\"}}",
            "  GET  /refusals   PUT /refusals     {\"SERIAL\":{\"status\":403},\"SERIAL\":{\"alert\":46}}",
        ]
        return lines.joined(separator: "\n") + "\n"
    }
}
