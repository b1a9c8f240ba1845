import Foundation
import Metrics
import TestSupport
import Testing

@testable import Commands

/// The alert rules that are shipped for Prometheus, judged by its own tool.
@Suite struct AlertRulesTests {
    private static let cron = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "cron")

    private func read(_ name: String) throws -> String {
        try String(contentsOf: Self.cron.appending(path: name), encoding: .utf8)
    }

    @Test(arguments: [
        ["check", "rules", "--lint-fatal", "purser.rules.yml"],
        ["test", "rules", "purser.rules.test.yml"],
    ])
    func `promtool finds the rules in order`(words: [String]) async throws {
        let arguments = words.dropLast() + [Self.cron.appending(path: words[words.count - 1]).path]
        let result = try await ForeignProcess.runBeside("promtool", Array(arguments))
        #expect(result.status == 0, "\(result.text)\(result.errorText)")
    }

    @Test func `they name what the program tells, and every alert has a test`() throws {
        let rules = try read("purser.rules.yml")
        let known = Set(ServiceMetrics.all.map(\.name))
        for match in rules.matches(of: /purser_[a-z_]+/) {
            let name = String(match.0).replacing(/_(bucket|sum|count)$/, with: "")
            #expect(known.contains(name), "\(name)")
        }
        let tests = try read("purser.rules.test.yml")
        let alerts = rules.matches(of: /- alert: (\w+)/).map { String($0.1) }
        #expect(alerts.count > 15)
        for alert in alerts { #expect(tests.contains("alertname: \(alert)\n"), "\(alert)") }
    }

    @Test func `every command that a remedy names exists`() throws {
        for match in try read("purser.rules.yml").matches(of: /run: purser ([a-z-]+)/) {
            #expect(
                CommandTable.standard.verbs.contains { $0.path.first == String(match.1) },
                "\(match.1)")
        }
    }
}
