import FoundationEssentials
import Glibc
import Problems
import Secrets

/// The program `applesim`.
package enum SimulatorProgram {
    /// Runs with the arguments after the program's name until SIGTERM or SIGINT; gives the status.
    ///
    /// It exits with 64 for a wrong command line, 65 or 78 for a merchant that cannot be, 73 when
    /// a file or a port cannot be had, 70 for other failures (sysexits). Call it on the main thread, first thing.
    package static func run(_ arguments: [String]) -> Int32 {
        let read: SimulatorArguments
        do throws(SimulatorArguments.Fault) {
            read = try SimulatorArguments(arguments)
        } catch {
            complain(error.words, hint: "see: applesim --help")
            return 64
        }
        if read.wantsHelp {
            print(SimulatorArguments.help, terminator: "")
            return 0
        }
        // Blocked before any thread is started, so that all threads inherit it and only the
        // waiting below receives them.
        var ending = sigset_t()
        sigemptyset(&ending)
        sigaddset(&ending, SIGTERM)
        sigaddset(&ending, SIGINT)
        pthread_sigmask(SIG_BLOCK, &ending, nil)
        signal(SIGPIPE, SIG_IGN)
        do {
            try serve(read) {
                var received: Int32 = 0
                sigwait(&ending, &received)
            }
            return 0
        } catch let problem as any Explained {
            complain(problem.summary, hint: problem.remedy)
            return switch problem.nature {
            case .badData: 65
            case .cannotCreate: 73
            case .configuration: 78
            default: 70
            }
        } catch {
            complain("\(error)", hint: "check the folder and its permissions")
            return 73
        }
    }

    private static func serve(
        _ arguments: SimulatorArguments, untilTold wait: () -> Void
    ) throws {
        let address = "\(arguments.directory)/address.json"
        let files = FileManager.default
        try files.createDirectory(atPath: arguments.directory, withIntermediateDirectories: true)
        // An address left by an earlier run would say "ready" too soon.
        if files.fileExists(atPath: address) { try files.removeItem(atPath: address) }
        let simulator = try AppleSimulator(arguments.configuration)
        for merchant in arguments.merchants {
            try simulator.portal.register(merchant.identifier, domains: merchant.domains)
        }
        try simulator.start()
        defer { simulator.stop() }
        for (name, pem) in [
            ("gateway-ca.pem", simulator.gatewayCAPEM),
            ("identity-root.pem", simulator.identityRootPEM),
            ("identity-intermediate.pem", simulator.identityIntermediatePEM),
            ("processing-root.pem", simulator.processingRootPEM),
            ("processing-intermediate.pem", simulator.processingIntermediatePEM),
            ("identity-ocsp.pem", simulator.identityResponderPEM),
        ] {
            try write(pem, to: "\(arguments.directory)/\(name)")
        }
        // What `openssl ocsp -rkey` needs; the stand-in's keys are worth nothing elsewhere.
        try simulator.identityResponderKeyPEM.withUnsafeBytes {
            try write(
                String(decoding: $0, as: UTF8.self),
                to: "\(arguments.directory)/identity-ocsp-key.pem")
        }
        try write(
            """
            {"gateway":"\(simulator.gatewayURL)","sandboxGateway":"\(simulator.sandboxGatewayURL)",\
            "portal":"\(simulator.portalURL)","pid":\(getpid())}

            """, to: address)
        print(
            "Apple Simulator (not Apple): gateway \(simulator.gatewayURL), "
                + "sandbox \(simulator.sandboxGatewayURL), portal \(simulator.portalURL)")
        // The line is a signal too, and standard output may be a pipe.
        fflush(nil)
        wait()
        try files.removeItem(atPath: address)
    }

    private static func write(_ text: String, to path: String) throws {
        do {
            try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw SimulatorError.cannotWrite(path)
        }
    }

    private static func complain(_ words: String, hint: String) {
        let text = Array("applesim: error: \(words)\napplesim: hint: \(hint)\n".utf8)
        _ = text.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
