import Testing

@testable import Sessions

/// When an identity is shown to a gateway that refuses it, by a clock that stands still.
@Suite struct CircuitBreakerTests {
    private let start = ContinuousClock.now
    private let refusal = SessionError.certificateExpired
    private let other = SessionError.certificateRefused(how: "TLS alert 46, certificate_unknown")

    private func opened() -> CircuitBreaker {
        var breaker = CircuitBreaker()
        for _ in 0..<CircuitBreaker.limit { breaker.refused(refusal, at: start) }
        return breaker
    }

    @Test func `it opens at the fifth refusal in a row and not before`() {
        var breaker = CircuitBreaker()
        #expect(breaker.isUntroubled && breaker.admit(at: start) == nil)
        for _ in 1..<CircuitBreaker.limit {
            breaker.refused(refusal, at: start)
            #expect(breaker.admit(at: start) == nil && breaker.last == nil)
            #expect(!breaker.isUntroubled)
        }
        breaker.refused(other, at: start)
        #expect(breaker.admit(at: start) == other && breaker.last == other)
    }

    @Test func `an answer in between counts from the beginning`() {
        var breaker = CircuitBreaker()
        for _ in 0..<3 {
            for _ in 1..<CircuitBreaker.limit { breaker.refused(refusal, at: start) }
            breaker.accepted()
            #expect(breaker.isUntroubled)
        }
        #expect(breaker.admit(at: start) == nil)
    }

    @Test func `while it is open one in each rest is let through, to the nanosecond`() {
        var breaker = opened()
        let rest = CircuitBreaker.rest
        #expect(breaker.admit(at: start + rest - .nanoseconds(1)) == refusal)
        #expect(breaker.admit(at: start + rest) == nil)
        // One, whatever becomes of it.
        #expect(breaker.admit(at: start + rest) == refusal)
        #expect(breaker.admit(at: start + rest * 2 - .nanoseconds(1)) == refusal)
        #expect(breaker.admit(at: start + rest * 2) == nil)
        // Refused again: the rest begins with the refusal, and its words are told.
        let late = start + rest * 2 + .seconds(3)
        breaker.refused(other, at: late)
        #expect(breaker.admit(at: late + rest - .nanoseconds(1)) == other)
        #expect(breaker.admit(at: late + rest) == nil)
    }

    @Test func `an answer closes it, and it takes five refusals to open again`() {
        var breaker = opened()
        breaker.accepted()
        #expect(breaker.isUntroubled && breaker.last == nil)
        for _ in 1..<CircuitBreaker.limit { breaker.refused(refusal, at: start) }
        #expect(breaker.admit(at: start) == nil)
        breaker.refused(refusal, at: start)
        #expect(breaker.admit(at: start) == refusal)
    }

    @Test func `a refusal that comes late puts the next try off`() {
        var breaker = opened()
        let late = start + .seconds(4)
        breaker.refused(refusal, at: late)
        #expect(breaker.admit(at: start + CircuitBreaker.rest) == refusal)
        #expect(breaker.admit(at: late + CircuitBreaker.rest) == nil)
    }

    @Test func `an identity gets as much room as it leaves free`() {
        let room = SharedRoom(limit: 100)
        let (one, two, three) = (RouteStanding(), RouteStanding(), RouteStanding())
        func fill(_ standing: RouteStanding) -> Int {
            var count = 0
            while room.enter(standing) { count += 1 }
            return count
        }
        #expect(fill(one) == 50)
        #expect(fill(two) == 25)
        // There is always room for some.
        #expect(fill(three) == SharedRoom.least)
        for _ in 0..<50 { room.leave(one) }
        #expect(fill(one) > 25)
    }
}
