import Clocks
import Merchants
import Testing

@testable import Commands

@Suite struct CheckReportTests {
    private let now = Timestamp(seconds: 1_800_000_000)

    private func credential(_ name: String, days: Int64) throws -> Credential {
        Credential(
            id: try CredentialIdentifier("0123456789ab"),
            merchant: try MerchantIdentifier("merchant.com.example.\(name)"), realm: .apple,
            kind: .merchantIdentity, state: .active, custody: .local, provider: nil,
            publicKeyHash: [UInt8](repeating: 1, count: 32), keyAlgorithm: "RSA 2048", csr: nil,
            certificate: CertificateRecord(
                der: [0x30], fingerprint: String(repeating: "00", count: 32), subject: "UID=x",
                serialNumber: "01", notBefore: now, notAfter: now.adding(days: days),
                teamIdentifier: nil, issuerVerified: true), createdAt: now, activatedAt: now)
    }

    @Test func `what is critical stands before warnings, and what expires first before that`()
        throws
    {
        var report = CheckReport(
            policy: ExpiryPolicy(warningDays: 30, criticalDays: 7), now: now)
        for (name, days) in [("a", 20), ("b", 5), ("c", 400), ("d", 10), ("e", 2)] {
            report.add(try credential(name, days: Int64(days)))
        }
        let lines = report.text(width: 80).split(separator: "\n")
        #expect(
            lines.first?.contains("4 of 5 need somebody, first: merchant.com.example.e") == true)
        let order = lines.dropFirst().map { $0.prefix { $0 != " " } }
        #expect(order == ["critical:", "critical:", "warning:", "warning:"])
        #expect(report.findings.map { $0.merchant.suffix(1) } == ["e", "b", "d", "a"])
    }

    @Test func `however many warnings there are, none takes a critical one's place`() throws {
        var report = CheckReport(
            policy: ExpiryPolicy(warningDays: 30, criticalDays: 7), now: now)
        for _ in 0..<1_200 { report.add(try credential("many", days: 20)) }
        report.add(try credential("late", days: 1))
        #expect(report.findings.count == 1_000)
        #expect(report.findings.first?.status == "critical")
        #expect(report.text(width: 80).contains("1201 of 1201 need somebody"))
    }
}
