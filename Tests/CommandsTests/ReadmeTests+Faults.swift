import API
import AppleSimulator
import Foundation
import Merchants
import SessionSupport
import Sessions
import TLSServer
import Testing

/// The table of what a gateway does and what a caller is told: each line is a session that was tried.
extension ReadmeTests {
    /// One thing that the stand-in does, in words.
    private struct Fault {
        let words: String
        let rudeness: Rudeness

        init(_ words: String, _ change: (inout Rudeness) -> Void) {
            self.words = words
            var rudeness = Rudeness.none
            change(&rudeness)
            self.rudeness = rudeness
        }

        /// Everything that the stand-in can do, from its own enums.
        static let all: [Fault] =
            RudeAct.allCases.flatMap(faults)
            + Rudeness.ServerCertificate.allCases.filter { $0 != .trusted }.map { certificate in
                Fault("show a certificate of its own that is \(certificate.words)") {
                    $0.serverCertificate = certificate
                }
            }
            + [Fault("take longer than the budget") { $0.latencyMilliseconds = 3_000 }]

        private static func faults(_ act: RudeAct) -> [Fault] {
            switch act {
            case .refuseClient:
                TLSAlert.allCases.map { alert in
                    Fault("refuse the client's certificate with TLS alert \(alert.rawValue)") {
                        $0.acts = [act: .always]
                        $0.alert = alert
                    }
                }
            case .answerStatus:
                [204, 400, 401, 403, 404, 417, 429, 500, 503].map { status in
                    Fault("answer \(status)") {
                        $0.acts = [act: .always]
                        $0.status = status
                    }
                }
            default: [Fault(act.help) { $0.acts = [act: .always] }]
            }
        }
    }

    // Under a sanitizer a gateway's fault can come after the time that a session has.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["PURSER_SANITIZED"] == nil))
    func `the table of the gateway's faults is that of the program`() async throws {
        let bench = try SessionBench()
        let roster = SessionBench.roster(try bench.entry(as: try bench.identity()))
        let order = try SessionBench.order()
        var rows: [String] = []
        for fault in Fault.all {
            // Each with connections and circuits of its own.
            let desk = SessionDesk(
                roster: roster, loop: bench.loop,
                budget: SessionDesk.Budget(connect: .seconds(1), total: .milliseconds(2_500)))
            bench.apple.rudeness = fault.rudeness
            let outcome: String
            do throws(SessionError) {
                _ = try await desk.session(for: order)
                outcome = "a session | 200 | | "
            } catch {
                let document = ProblemDocument(error, requestID: "")
                #expect(document.status >= 502 || document.status == 429, "\(fault.words)")
                outcome =
                    "`\(error.code)` | \(document.status) | \(error.culprit.rawValue) | "
                    + cell(document.remedy)
            }
            desk.close()
            rows.append("| \(fault.words) | \(outcome) |")
        }
        try check(
            "faults",
            "| the gateway may | code | HTTP | whose matter | what to do |\n"
                + "| --- | --- | --- | --- | --- |\n" + rows.joined(separator: "\n"))
    }
}

extension Rudeness.ServerCertificate {
    /// What is wrong with it.
    fileprivate var words: String {
        switch self {
        case .trusted: "in order"
        case .untrusted: "of an unknown root"
        case .expired: "out of date"
        case .wrongName: "for another name"
        }
    }
}
