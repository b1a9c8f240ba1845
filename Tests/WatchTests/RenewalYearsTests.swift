import AppleSimulator
import Clocks
import Database
import Glibc
import Issuance
import Ledger
import Locks
import Merchants
import PKI
import Registry
import Secrets
import Sessions
import TestSupport
import Testing
import Transfers
import Vault
import Watch

/// Years of renewals, day by day, against the stand-in for Apple: real keys, certificates and
/// rehearsals on a clock that is moved.
///
/// In CI a few merchants and the days around one rotation; `PURSER_SOAK` makes it fifty merchants
/// and three years.
@Suite struct RenewalYearsTests {
    private static let isSoak = getenv("PURSER_SOAK") != nil

    /// Everything that runs daily, and the person who visits Apple's portal.
    private final class Trade: Sendable {
        let apple: AppleSimulator
        let clock: ManualClock
        let folder = TemporaryFolder()
        let home: OpenHome
        let vault: Vault
        let merchants: [MerchantIdentifier]
        let loop: TransferLoop
        let desk: SessionDesk
        let channel = FakeChannel("mail", batch: 50, everybody: ["security"])
        let scope = PolicyScope()

        init(merchants count: Int) async throws {
            clock = ManualClock(SystemClock().now)
            apple = try AppleSimulator(.init(), clock: clock)
            try apple.start()
            let layout = HomeLayout(path: folder.file("home"))
            let secret = UnlockSecret.keyFile(.random(count: 32))
            home = try await OpenHome.found(
                layout, secret: secret, clock: clock,
                actor: .user(name: "tester", uid: 1_000, login: 1_000))
            vault = try Vault.open(layout, secret: secret)
            loop = try TransferLoop()
            desk = SessionDesk(roster: Roster([], known: []), loop: loop)
            let lab = try EnvironmentName("lab")
            try await home.addEnvironment(
                GatewayEnvironment(
                    name: lab, realm: try RealmName("lab"),
                    gateway: try GatewayAddress(apple.gatewayURL), gatewayCA: nil, proxy: nil,
                    isBuiltIn: false), gatewayCA: Array(apple.gatewayCAPEM.utf8),
                roots: [
                    apple.identityRootPEM, apple.identityIntermediatePEM,
                    apple.processingRootPEM, apple.processingIntermediatePEM,
                ].map { Array($0.utf8) })
            var merchants: [MerchantIdentifier] = []
            for number in 0..<count {
                let merchant = try MerchantIdentifier("merchant.com.example.shop\(number)")
                var change = MerchantChange()
                change.displayName = try DisplayName("Shop \(number)")
                try await home.addMerchant(merchant, environments: [lab], change: change)
                let domain = "shop\(number).example.com"
                _ = try await home.addDomain(try DomainName(domain), of: merchant)
                try apple.portal.register(merchant.text, domains: [domain])
                merchants.append(merchant)
            }
            self.merchants = merchants
        }

        /// A first credential of each kind, with `days` left.
        func begin(_ merchant: MerchantIdentifier, days: Int64) async throws {
            for kind in [CredentialKind.paymentProcessing, .merchantIdentity] {
                let made = try await home.request(kind, for: merchant, vault: vault)
                try await visitPortal(made.credential, days: days)
                let credential = try await find(made.credential.id)
                if kind.isProcessing {
                    try await activateAtApple(credential)
                } else {
                    _ = try await home.activate(credential.id, vault: vault, proof: .waived)
                }
            }
        }

        /// Uploads a CSR and imports what comes back.
        func visitPortal(_ credential: Credential, days: Int64 = 760) async throws {
            let der = try apple.portal.sign(
                csr: try #require(credential.csr), merchant: credential.merchant.text,
                kind: credential.kind, days: days)
            _ = try await home.importCertificates(
                ImportFile(ImportOrder(file: SecretBytes(copying: der))),
                for: credential.merchant, vault: vault)
        }

        func activateAtApple(_ credential: Credential) async throws {
            let serial = try #require(credential.certificate).serialNumber
            try apple.portal.activate(serialNumber: serial)
            _ = try await home.recordActivation(credential.id, at: nil, vault: vault)
        }

        func find(_ id: CredentialIdentifier) async throws -> Credential {
            try await home.database.read { try Credentials.find(id, in: $0) }
        }

        /// The steps that wait for a person, taken where `isTime` says so.
        func actAsPerson(_ isTime: (Credential) -> Bool) async throws {
            for rotation in try await home.openRotations(scope) {
                for step in rotation.plan.steps {
                    switch step {
                    case .submit(let id):
                        let credential = try await find(id)
                        if isTime(credential) { try await visitPortal(credential) }
                    case .activateAtApple(let id):
                        let credential = try await find(id)
                        if isTime(credential) { try await activateAtApple(credential) }
                    default: break
                    }
                }
            }
        }

        /// `renew --commit`, then a round of alerts; the failures of the first.
        func runDaily() async throws -> [String] {
            let failures = Locked<[String]>([])
            try await home.renew(scope, vault: vault, desk: desk) { outcome in
                guard let failure = outcome.failure else { return }
                failures.withLock { $0.append("\(outcome.merchant) \(outcome.step): \(failure)") }
            }
            let findings = Locked<[Finding]>([])
            try await home.forEachFinding(scope) { one in findings.withLock { $0.append(one) } }
            let engine = AlertEngine(database: home.database, channels: [channel], clock: clock)
            _ = try await engine.run(findings.withLock { $0 })
            return failures.withLock { $0 }
        }

        func end() async {
            desk.close()
            await loop.shutDown()
            apple.stop()
        }
    }

    private var shape: (merchants: Int, days: Int64, left: Int64) {
        Self.isSoak ? (50, 3 * 365, 400) : (3, 110, 95)
    }

    @Test func `nothing ever expires where the portal is visited within a week`() async throws {
        let shape = shape
        let trade = try await Trade(merchants: shape.merchants)
        for (number, merchant) in trade.merchants.enumerated() {
            try await trade.begin(merchant, days: shape.left - Int64(number % 30))
        }
        let start = trade.clock.now
        for day in 1...shape.days {
            let now = start.adding(days: day)
            trade.clock.move(to: now)
            // Everybody takes their own time, up to a week.
            try await trade.actAsPerson { credential in
                let patience = Int64(credential.id.text.utf8.reduce(0) { Int($1) + $0 } % 7)
                return now.days(since: credential.times.stateChangedAt) >= patience
            }
            // Now and then the machine is off.
            if day % 9 == 4 { continue }
            let failures = try await trade.runDaily()
            #expect(failures.isEmpty, "day \(day): \(failures)")
            let all = try await trade.home.database.read { try Credentials.list(in: $0) }
            for credential in all where credential.state == .active {
                let end = try #require(credential.certificate).notAfter
                #expect(end.days(since: now) > 30, "day \(day): \(credential.id)")
            }
        }
        let all = try await trade.home.database.read { try Credentials.list(in: $0) }
        for merchant in trade.merchants {
            for kind in [CredentialKind.merchantIdentity, .paymentProcessing] {
                let own = all.filter { $0.merchant == merchant && $0.kind == kind }
                #expect(own.count { $0.state == .active } == 1)
                #expect(own.count { $0.state == .retired } == own.count - 1)
                #expect(own.count >= 2)
            }
        }
        // The first notices were told and nothing tighter than the day on which a rotation begins.
        let stages = Set(
            trade.channel.taken.filter {
                !$0.tiding.isRecovery && $0.tiding.alert.policy == .expiry
            }
            .map { $0.tiding.alert.stage.text })
        #expect(stages.isSubset(of: ["90", "60"]), "\(stages)")
        await trade.end()
    }

    @Test func `every expiry is told where nobody visits the portal`() async throws {
        let shape = shape
        let trade = try await Trade(merchants: shape.merchants)
        for merchant in trade.merchants { try await trade.begin(merchant, days: shape.left) }
        let start = trade.clock.now
        for day in 1...min(shape.days, shape.left + 20) {
            trade.clock.move(to: start.adding(days: day))
            _ = try await trade.runDaily()
        }
        let thresholds = ["90", "60", "30", "14", "7", "3", "1", "expired"]
        for merchant in trade.merchants {
            for kind in [CredentialKind.merchantIdentity, .paymentProcessing] {
                let told = trade.channel.taken.map(\.tiding.alert).filter {
                    $0.merchant == merchant && $0.kind == kind && $0.policy == .expiry
                }.map(\.stage.text)
                for threshold in thresholds.prefix(5) {
                    #expect(told.count { $0 == threshold } == 1, "\(merchant) \(threshold)")
                }
                for threshold in thresholds.dropFirst(5) {
                    #expect(told.contains(threshold), "\(merchant) \(threshold)")
                }
            }
        }
        await trade.end()
    }
}
