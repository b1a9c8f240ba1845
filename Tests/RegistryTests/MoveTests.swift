import Clocks
import Database
import Merchants
import Registry
import Testing

@Suite struct MoveTests {
    let home = SampleHome()

    private func open(_ credentials: Credential...) async throws -> DatabaseFile {
        let database = try await home.open()
        try await database.write { transaction in
            try MerchantRecords.add(SampleHome.merchant("shop"), in: transaction)
            for credential in credentials { try Credentials.insert(credential, in: transaction) }
        }
        return database
    }

    private func states(_ database: DatabaseFile) async throws -> [CredentialState] {
        try await database.read { try Credentials.list(in: $0).map(\.state) }
    }

    @Test func `a move happens from the expected state only`() async throws {
        let credential = try SampleHome.credential(1, of: "shop", state: .requested)
        let database = try await open(credential)
        let time = SampleHome.now.adding(days: 1)
        let before = try await database.write {
            try Credentials.move(
                credential.id, from: [.requested, .abandoned], to: .issued, at: time, in: $0)
        }
        #expect(before == .requested)
        #expect(try await states(database) == [.issued])
        await expectRefusal(.stateChanged(credential.id, found: .issued), from: database) {
            try Credentials.move(
                credential.id, from: [.requested, .abandoned], to: .issued, at: time, in: $0)
        }
        await expectRefusal(.certificateUnknown(.example), from: database) {
            try Credentials.move(.example, from: [.issued], to: .active, at: time, in: $0)
        }
        let times = try await database.read { try Credentials.times(of: credential.id, in: $0) }
        #expect(times.stateChangedAt == time)
        #expect(times.retiringSince == nil)
    }

    @Test(arguments: CredentialState.allCases)
    func `no move leaves the state machine`(from: CredentialState) async throws {
        for kind in [CredentialKind.merchantIdentity, .paymentProcessing] {
            for to in CredentialState.allCases where !mayMove(from: from, to: to, kind: kind) {
                let home = SampleHome()
                let database = try await home.open()
                let credential = try SampleHome.credential(1, of: "shop", kind: kind, state: from)
                try await database.write { transaction in
                    try MerchantRecords.add(SampleHome.merchant("shop"), in: transaction)
                    try Credentials.insert(credential, in: transaction)
                }
                let refusal = RegistryError.illegalMove(credential.id, from: from, to: to)
                await expectRefusal(refusal, from: database) {
                    try Credentials.move(
                        credential.id, from: [from], to: to, at: SampleHome.now, in: $0)
                }
            }
        }
    }

    @Test func `a promotion's plan is carried out and its times kept`() async throws {
        let oldest = try SampleHome.credential(1, of: "shop", state: .retiring)
        let old = try SampleHome.credential(2, of: "shop", state: .active)
        let new = try SampleHome.credential(3, of: "shop", state: .issued)
        let database = try await open(oldest, old, new)
        let time = SampleHome.now.adding(days: 1)
        try await database.write { transaction in
            let all = try Credentials.list(in: transaction)
            try Credentials.apply(
                planPromotion(of: new, among: all), at: time, in: transaction)
            try Credentials.setActivated(new.id, at: time, in: transaction)
        }
        #expect(try await states(database) == [.retired, .retiring, .active])
        let times = try await database.read { try Credentials.times(of: old.id, in: $0) }
        #expect(times.retiringSince == time)
        let found = try await database.read { try Credentials.find(new.id, in: $0) }
        #expect(found.activatedAt == time)

        // A rollback.
        try await database.write { transaction in
            let all = try Credentials.list(in: transaction)
            try Credentials.apply(
                planPromotion(of: Credentials.find(old.id, in: transaction), among: all),
                at: time, in: transaction)
        }
        #expect(try await states(database) == [.retired, .active, .issued])
        let after = try await database.read { try Credentials.times(of: old.id, in: $0) }
        #expect(after.retiringSince == nil)
    }

    @Test(arguments: [CredentialKind.merchantIdentity, .paymentProcessing])
    func `a second active one is refused`(kind: CredentialKind) async throws {
        let one = try SampleHome.credential(1, of: "shop", kind: kind, state: .active)
        let two = try SampleHome.credential(2, of: "shop", kind: kind)
        let database = try await open(one, two)
        await expectRefusal(.anotherActive(two.id), from: database) {
            try Credentials.move(
                two.id, from: [.issued], to: .active, at: SampleHome.now, in: $0)
        }
        await expectRefusal(
            .anotherActive(try SampleHome.credential(3, of: "shop").id), from: database
        ) {
            try Credentials.insert(
                SampleHome.credential(3, of: "shop", kind: kind, state: .active), in: $0)
        }
    }

    @Test func `a provider's identity stands beside the selected one`() async throws {
        let database = try await open(
            try SampleHome.credential(1, of: "shop", state: .active),
            try SampleHome.credential(2, of: "shop", state: .active, custody: .provider),
            try SampleHome.credential(3, of: "shop", kind: .paymentProcessing, state: .active),
            try SampleHome.credential(4, of: "shop", kind: .paymentProcessingRSA, state: .active))
        #expect(try await states(database) == [.active, .active, .active, .active])
    }

    @Test func `of many who move the same credential at once one wins`() async throws {
        let credential = try SampleHome.credential(1, of: "shop", state: .issued)
        try await open(credential).close()
        let wins = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    let database = try await home.open()
                    do {
                        try await database.write {
                            try Credentials.move(
                                credential.id, from: [.issued], to: .active, at: SampleHome.now,
                                in: $0)
                        }
                        return true
                    } catch RegistryError.stateChanged(credential.id, found: .active) {
                        return false
                    }
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(wins == 1)
    }
}
