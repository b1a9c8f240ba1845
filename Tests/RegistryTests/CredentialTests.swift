import Clocks
import Database
import Merchants
import Testing

@testable import Registry

@Suite struct CredentialTests {
    let home = SampleHome()

    private func open(_ credentials: Credential...) async throws -> DatabaseFile {
        let database = try await home.open()
        try await database.write { transaction in
            try MerchantRecords.add(SampleHome.merchant("shop"), in: transaction)
            try MerchantRecords.add(SampleHome.merchant("twin"), in: transaction)
            for credential in credentials { try Credentials.insert(credential, in: transaction) }
        }
        return database
    }

    @Test func `a credential comes back as it was`() async throws {
        let all = [
            try SampleHome.credential(1, of: "shop", state: .requested, days: nil),
            try SampleHome.credential(2, of: "shop"),
            try SampleHome.credential(3, of: "shop", kind: .paymentProcessing, custody: .provider),
            try SampleHome.credential(1, of: "shop", kind: .paymentProcessingRSA),
        ]
        let database = try await open(all[0], all[1], all[2])
        #expect(
            try await database.read { try Credentials.list(in: $0) } == Array(all.prefix(3)))
        for credential in all.prefix(3) {
            #expect(
                try await database.read { try Credentials.find(credential.id, in: $0) }
                    == credential)
        }
    }

    @Test func `credentials are listed by merchant, kind and age, and filtered`() async throws {
        let database = try await open(
            try SampleHome.credential(9, of: "twin"),
            try SampleHome.credential(8, of: "shop", kind: .paymentProcessing),
            try SampleHome.credential(7, of: "shop"), try SampleHome.credential(6, of: "shop"))
        let seeds = { @Sendable (merchant: MerchantIdentifier?, kind: CredentialKind?) in
            try await database.read { transaction in
                try Credentials.list(merchant: merchant, kind: kind, in: transaction).map {
                    $0.publicKeyHash[0]
                }
            }
        }
        let shop = try SampleHome.id("shop")
        #expect(try await seeds(nil, nil) == [6, 7, 8, 9])
        #expect(try await seeds(shop, nil) == [6, 7, 8])
        #expect(try await seeds(nil, .merchantIdentity) == [6, 7, 9])
        #expect(try await seeds(shop, .paymentProcessing) == [8])
        #expect(try await seeds(try SampleHome.id("none"), nil) == [])
    }

    @Test func `a key is found within its merchant and kind, and across`() async throws {
        let mine = try SampleHome.credential(1, of: "shop")
        let theirs = Credential(
            id: .random(), merchant: try SampleHome.id("twin"), realm: .apple,
            kind: .merchantIdentity, state: .requested, custody: .local, provider: nil,
            publicKeyHash: mine.publicKeyHash, keyAlgorithm: "RSA 2048", csr: nil,
            certificate: nil, createdAt: SampleHome.now, activatedAt: nil)
        let database = try await open(mine, theirs)
        let hash = mine.publicKeyHash
        let found = try await database.read { transaction in
            (
                try Credentials.find(
                    publicKeyHash: hash, merchant: mine.merchant, kind: .merchantIdentity,
                    in: transaction),
                try Credentials.find(
                    publicKeyHash: hash, merchant: mine.merchant, kind: .paymentProcessing,
                    in: transaction),
                try Credentials.find(publicKeyHash: hash, in: transaction)
            )
        }
        #expect(found.0 == mine)
        #expect(found.1 == nil)
        #expect(found.2 == [mine, theirs])
        await expectRefusal(.keyKnown(mine.id), from: database) {
            try Credentials.insert(
                Credential(
                    id: .random(), merchant: mine.merchant, realm: .apple, kind: mine.kind,
                    state: .requested, custody: .local, provider: nil, publicKeyHash: hash,
                    keyAlgorithm: "RSA 2048", csr: nil, certificate: nil,
                    createdAt: SampleHome.now, activatedAt: nil), in: $0)
        }
        await expectRefusal(.certificateUnknown(.example), from: database) {
            _ = try Credentials.find(.example, in: $0)
        }
    }

    @Test func `of several certificates the one valid longest is in use`() async throws {
        let credential = try SampleHome.credential(1, of: "shop", days: 100)
        let other = try SampleHome.credential(9, of: "shop", days: 100)
        let database = try await open(credential, other)
        let longest = SampleHome.certificate(2, days: 300)
        let shorter = SampleHome.certificate(3, days: 200)
        let areNew = try await database.write { transaction in
            var areNew: [Bool] = []
            for certificate in [longest, longest, shorter, shorter] {
                areNew.append(
                    try Credentials.add(
                        certificate, to: credential.id, at: SampleHome.now, in: transaction))
            }
            return areNew
        }
        #expect(areNew == [true, false, true, false])
        let found = try await database.read { try Credentials.find(credential.id, in: $0) }
        #expect(found.certificate == longest)
        #expect(
            try await database.read { try Credentials.certificates(of: credential.id, in: $0) }
                == [longest, shorter, SampleHome.certificate(1, days: 100)])
        await expectRefusal(.certificateElsewhere(credential.id), from: database) {
            try Credentials.add(longest, to: other.id, at: SampleHome.now, in: $0)
        }
        await expectRefusal(.certificateUnknown(.example), from: database) {
            try Credentials.add(longest, to: .example, at: SampleHome.now, in: $0)
        }
    }

    @Test func `whether the issuer is verified can be corrected`() async throws {
        let credential = try SampleHome.credential(1, of: "shop")
        let fingerprint = SampleHome.certificate(1, days: 760).fingerprint
        let database = try await open(credential)
        try await database.write {
            try Credentials.setIssuerVerified(false, certificate: fingerprint, in: $0)
        }
        let found = try await database.read { try Credentials.find(credential.id, in: $0) }
        #expect(found.certificate?.issuerVerified == false)
    }
}
