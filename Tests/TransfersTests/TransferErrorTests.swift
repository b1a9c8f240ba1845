import Problems
import Testing

@testable import Transfers

@Suite struct TransferErrorTests {
    @Test(arguments: TransferError.examples)
    func `an error is short, has a remedy, and no secret`(error: TransferError) {
        #expect(error.code.hasPrefix("transfer."))
        #expect(!error.remedy.isEmpty && error.remedy.count <= 120)
        #expect(error.summary.count <= 120 && !error.summary.hasSuffix("."))
        #expect(!error.description.contains("BEGIN"))
    }

    @Test func `codes are unique`() {
        let byCode = Dictionary(grouping: TransferError.examples, by: \.code)
        #expect(byCode.count == 26)
    }

    @Test func `an alert is read from OpenSSL's code`() {
        let text =
            "OpenSSL SSL_read: error:0A000415:SSL routines::sslv3 alert certificate expired, errno 0"
        #expect(OpenSSLErrorText(in: text)?.alert == TLSAlert(number: 45))
        #expect(OpenSSLErrorText(in: text)?.reason == "sslv3 alert certificate expired")
        let required = "error:0A00045C:SSL routines::tlsv13 alert certificate required"
        #expect(OpenSSLErrorText(in: required)?.alert == TLSAlert(number: 116))
        #expect(TLSAlert(number: 116).name == "certificate_required")
    }

    @Test(arguments: [
        "", "error:", "error:zz:SSL routines::x", "Connection reset by peer", "error:0A0000C6",
    ])
    func `other texts hold no alert`(text: String) {
        #expect(OpenSSLErrorText(in: text)?.alert == nil)
    }

    @Test func `an error of another library is no alert`() {
        let text = "OpenSSL error error:0B080074:x509 certificate routines::key values mismatch"
        #expect(OpenSSLErrorText(in: text)?.alert == nil)
        #expect(OpenSSLErrorText(in: text)?.reason == "key values mismatch")
        // Reasons below 1000 are this end's own.
        let own = "error:0A000086:SSL routines::certificate verify failed"
        #expect(OpenSSLErrorText(in: own)?.alert == nil)
    }
}
