import Clocks
import Merchants
import Testing

@testable import Commands

@Suite struct CheckReportTests {
    private let now = Timestamp(seconds: 1_800_000_000)

    private func finding(_ name: String, days: Int64) throws -> Finding {
        let end = now.adding(days: days)
        return Finding(
            .expiry, Windows().urgency(of: end, at: now),
            merchant: try MerchantIdentifier("merchant.com.example.\(name)"),
            kind: .merchantIdentity, credential: try CredentialIdentifier("0123456789ab"),
            deadline: end, summary: "it expires")
    }

    @Test func `what is critical stands before warnings, and what expires first before that`()
        throws
    {
        var report = CheckReport(windows: Windows(), now: now)
        for (name, days) in [("a", 20), ("b", 5), ("c", 400), ("d", 10), ("e", 2)] {
            report.add(try finding(name, days: Int64(days)))
        }
        let lines = report.text(width: 80).split(separator: "\n")
        #expect(
            lines.first?.contains("4 findings, 5 watched, first: merchant.com.example.e") == true)
        let order = lines.dropFirst().map { $0.prefix { $0 != " " } }
        #expect(order == ["critical:", "critical:", "warning:", "warning:"])
        #expect(report.findings.map { $0.merchant?.suffix(1) } == ["e", "b", "d", "a"])
    }

    @Test func `however many warnings there are, none takes a critical one's place`() throws {
        var report = CheckReport(windows: Windows(), now: now)
        for _ in 0..<1_200 { report.add(try finding("many", days: 20)) }
        report.add(try finding("late", days: 1))
        #expect(report.findings.count == 1_000)
        #expect(report.findings.first?.status == "critical")
        #expect(report.text(width: 80).contains("1201 findings, 1201 watched"))
    }
}
