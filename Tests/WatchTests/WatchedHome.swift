import Clocks
import Database
import Issuance
import Ledger
import Merchants
import Registry
import Secrets
import TestSupport
import Vault
import Watch

/// A home with merchants and nothing else, on a clock that a test moves.
struct WatchedHome {
    let folder = TemporaryFolder()
    let clock: ManualClock
    let home: OpenHome
    let merchants: [MerchantIdentifier]

    init(merchants count: Int = 1, at path: String? = nil) async throws {
        clock = ManualClock(Timestamp(seconds: 1_800_000_000))
        let layout = HomeLayout(path: path ?? folder.file("home"))
        home = try await OpenHome.found(
            layout, secret: .keyFile(.random(count: 32)), clock: clock,
            actor: .user(name: "tester", uid: 1_000, login: 1_000))
        var merchants: [MerchantIdentifier] = []
        for number in 0..<count {
            let merchant = try MerchantIdentifier("merchant.com.example.shop\(number)")
            var change = MerchantChange()
            change.owners = ["owner\(number)@example.com"]
            try await home.addMerchant(merchant, environments: [.production], change: change)
            merchants.append(merchant)
        }
        self.merchants = merchants
    }

    func expiry(
        _ merchant: Int = 0, _ credential: CredentialIdentifier = .example, in days: Int64,
        _ urgency: Urgency = .warning
    ) -> Finding {
        Finding(
            .expiry, urgency, merchant: merchants[merchant], kind: .merchantIdentity,
            credential: credential,
            deadline: clock.now.adding(days: days).adding(seconds: 43_200),
            summary: "expires in \(days) days", remedy: "run: purser renew")
    }

    func gateway(_ name: String = "lab", _ urgency: Urgency = .critical) -> Finding {
        Finding(.gateway, urgency, subject: name, summary: "the gateway \(name) does not answer")
    }

    func deliveries() async throws -> [AlertDelivery] {
        try await home.database.read { transaction in
            try AlertRecords.all(in: transaction).flatMap {
                try AlertDeliveries.list(of: $0.id, in: transaction)
            }
        }
    }
}
