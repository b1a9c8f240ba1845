import Merchants
import Testing

@testable import Sessions

/// When a rollback is due: a pure matter.
@Suite struct RollbackCountTests {
    private let shop: MerchantIdentifier
    private let rollback: Rollback

    init() throws {
        shop = try MerchantIdentifier("merchant.com.example.shop")
        rollback = Rollback(shop, from: .random(), to: .random())
    }

    /// Which of so many failures make a rollback due.
    private func due(
        _ failures: Int, of rollback: Rollback, in count: inout RollbackCount
    ) -> [Int] {
        var due: [Int] = []
        for number in 1...failures where count.failed(rollback) { due.append(number) }
        return due
    }

    @Test func `the tenth failure in a row makes it due, and no later one`() {
        var count = RollbackCount()
        let due = due(35, of: rollback, in: &count)
        #expect(due == [10])
    }

    @Test func `a success of the new identity begins the row anew, one of another does not`() {
        var count = RollbackCount()
        let first = due(9, of: rollback, in: &count)
        count.succeeded(rollback.loser, of: shop)
        let second = due(9, of: rollback, in: &count)
        // Requests in flight finish under what they began with.
        count.succeeded(rollback.old, of: shop)
        count.succeeded(.random(), of: shop)
        let third = due(9, of: rollback, in: &count)
        #expect(first == [] && second == [] && third == [1])
    }

    @Test func `each merchant and each pair of identities is counted apart`() throws {
        var count = RollbackCount()
        let other = Rollback(
            try MerchantIdentifier("merchant.com.example.other"), from: .random(), to: .random())
        let next = Rollback(shop, from: .random(), to: rollback.loser)
        let nine = due(9, of: rollback, in: &count) + due(9, of: other, in: &count)
        let after = due(1, of: next, in: &count)
        let tenth = due(1, of: other, in: &count)
        // Begun anew, another pair having come in between.
        let again = due(9, of: rollback, in: &count)
        #expect(nine == [] && after == [] && tenth == [1] && again == [])
    }

    @Test func `what is forgotten becomes due again after another ten`() {
        var count = RollbackCount()
        let first = due(12, of: rollback, in: &count)
        count.forget(Rollback(shop, from: rollback.loser, to: .random()))
        let second = due(10, of: rollback, in: &count)
        count.forget(rollback)
        let third = due(10, of: rollback, in: &count)
        #expect(first == [10] && second == [] && third == [10])
    }
}

/// What comes after an attempt that failed: a pure matter.
@Suite struct AttemptPlanTests {
    private let refused = SessionError.certificateRefused(how: "HTTP 401")
    private let failed = SessionError.appleFailed(status: 503)

    @Test func `a refusal of the identity is taken to the one before it, which has a retry`() {
        var plan = AttemptPlan()
        func check(
            _ reason: SessionError, mayRetry: Bool = false, leadsTo expected: AttemptPlan.Step
        ) {
            let step = plan.step(
                after: reason, mayRetry: mayRetry, hasFallback: true, left: .seconds(5))
            #expect(step == expected)
        }
        check(failed, mayRetry: true, leadsTo: .again)
        #expect(plan.isRetry && plan.number == 2 && plan.refusal == nil)
        check(refused, leadsTo: .fallBack)
        #expect(!plan.isRetry && plan.number == 3 && plan.refusal == refused)
        check(failed, mayRetry: true, leadsTo: .again)
        #expect(plan.isRetry && plan.number == 4)
        // Whatever the old one meets, the caller is told of the one in use.
        check(.merchantRefused(said: "no"), leadsTo: .end(refused))
    }

    @Test(arguments: SessionError.examples)
    func `only what may be the identity's fault is taken there, and only while there is time`(
        error: SessionError
    ) {
        let isTaken = error.culprit == .certificate || error.culprit == .merchant
        var plan = AttemptPlan()
        let step = plan.step(
            after: error, mayRetry: false, hasFallback: true, left: .seconds(1))
        #expect(step == (isTaken ? .fallBack : .end(error)))
        for (hasFallback, left) in [(false, Duration.seconds(1)), (true, .milliseconds(200))] {
            var plan = AttemptPlan()
            let step = plan.step(
                after: error, mayRetry: false, hasFallback: hasFallback, left: left)
            #expect(step == .end(error) && plan.number == 1)
        }
    }

    @Test func `there is one retry, and none without time`() {
        var plan = AttemptPlan()
        let expected: [(Duration, AttemptPlan.Step)] = [
            (.milliseconds(100), .end(failed)), (.seconds(1), .again), (.seconds(1), .end(failed)),
        ]
        for (left, next) in expected {
            let step = plan.step(after: failed, mayRetry: true, hasFallback: true, left: left)
            #expect(step == next)
        }
    }
}
