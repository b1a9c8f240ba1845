import Clocks
import Merchants
import Testing

@Suite struct ExaminationTests {
    private let hash = String(repeating: "A1", count: 32)

    private func examination() throws -> CertificateExamination {
        CertificateExamination(
            merchant: try MerchantIdentifier("merchant.com.example.shop"), merchantHash: hash,
            now: Timestamp(seconds: 1_000))
    }

    private var identity: CertificateFacts {
        CertificateFacts(
            userID: "merchant.com.example.shop", merchantHash: hash, hasIdentityMarker: true,
            isForClientAuthentication: true, mayEncipherOrAgreeOnKeys: false, isCA: false,
            key: .rsa2048, keyDescription: "RSA 2048", notBefore: Timestamp(seconds: 0),
            notAfter: Timestamp(seconds: 2_000), chain: .verified)
    }

    private var processing: CertificateFacts {
        var facts = identity
        facts.hasIdentityMarker = false
        facts.isForClientAuthentication = false
        facts.mayEncipherOrAgreeOnKeys = true
        facts.key = .ecP256
        return facts
    }

    @Test func `Apple's own shapes tell their kinds`() throws {
        var china = processing
        china.key = .rsa2048
        #expect(try examination().kind(of: identity) == .merchantIdentity)
        #expect(try examination().kind(of: processing) == .paymentProcessing)
        #expect(try examination().kind(of: china) == .paymentProcessingRSA)
    }

    @Test func `the hash is compared without regard to case`() throws {
        var facts = identity
        facts.merchantHash = hash.lowercased()
        #expect(try examination().kind(of: facts) == .merchantIdentity)
    }

    @Test func `an unknown issuer is no fault`() throws {
        var facts = identity
        facts.chain = .issuerUnknown
        #expect(try examination().kind(of: facts) == .merchantIdentity)
    }

    private typealias Spoiler = @Sendable (inout CertificateFacts) -> Void

    private static let faults: [(String, Spoiler)] = [
        ("certificate.is-ca", { $0.isCA = true }),
        ("certificate.not-apple-pay", { ($0.userID, $0.merchantHash) = (nil, nil) }),
        ("certificate.other-merchant", { $0.userID = "merchant.com.example.SHOP" }),
        ("certificate.other-merchant", { $0.userID = nil }),
        ("certificate.wrong-merchant-hash", { $0.merchantHash = "00" }),
        ("certificate.wrong-merchant-hash", { $0.merchantHash = nil }),
        ("certificate.chain-invalid", { $0.chain = .invalid(reason: "signature") }),
        ("certificate.kind-unclear", { $0.hasIdentityMarker = false }),
        ("certificate.kind-unclear", { $0.isForClientAuthentication = false }),
        (
            "certificate.kind-unclear",
            { ($0.hasIdentityMarker, $0.isForClientAuthentication) = (false, false) }
        ),
        ("certificate.wrong-key-type", { $0.key = .ecP256 }),
        ("certificate.wrong-key-type", { $0.key = nil }),
    ]

    @Test(arguments: faults.indices)
    func `each fault has its code`(index: Int) throws {
        let (code, spoil) = Self.faults[index]
        var facts = identity
        spoil(&facts)
        let fault = #expect(throws: CertificateFault.self) {
            try examination().kind(of: facts)
        }
        #expect(fault?.code == code)
    }

    @Test func `letters that only look or fold alike do not pass`() throws {
        // KELVIN SIGN equals K, and the ligature ﬀ becomes FF, by Unicode's rules.
        let examination = CertificateExamination(
            merchant: try MerchantIdentifier("merchant.com.example.K"),
            merchantHash: String(repeating: "FF", count: 32), now: Timestamp(seconds: 1_000))
        var facts = identity
        facts.userID = "merchant.com.example.\u{212A}"
        facts.merchantHash = String(repeating: "FF", count: 32)
        #expect(throws: CertificateFault.self) { try examination.kind(of: facts) }
        facts.userID = "merchant.com.example.K"
        #expect(try examination.kind(of: facts) == .merchantIdentity)
        facts.merchantHash = String(repeating: "\u{FB00}", count: 32)
        #expect(throws: CertificateFault.wrongMerchantHash(present: true)) {
            try examination.kind(of: facts)
        }
    }

    @Test func `validity includes both of its ends`() throws {
        var facts = identity
        facts.notBefore = Timestamp(seconds: 1_000)
        facts.notAfter = Timestamp(seconds: 1_000)
        try examination().checkValidity(of: facts)
        facts.notAfter = Timestamp(seconds: 999)
        #expect(throws: CertificateFault.expired(facts.notAfter)) {
            try examination().checkValidity(of: facts)
        }
        facts.notAfter = Timestamp(seconds: 9_999)
        facts.notBefore = Timestamp(seconds: 1_001)
        #expect(throws: CertificateFault.notYetValid(facts.notBefore)) {
            try examination().checkValidity(of: facts)
        }
    }
}
