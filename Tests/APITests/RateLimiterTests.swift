import Testing

@testable import API

@Suite struct RateLimiterTests {
    @Test func `a second's worth may come at once, then one for each part of a second`() {
        let limiter = RateLimiter(perSecond: 10)
        let start = ContinuousClock.now
        for _ in 0..<10 { #expect(limiter.secondsToWait("a", at: start) == nil) }
        #expect(limiter.secondsToWait("a", at: start) == 1)
        #expect(limiter.secondsToWait("b", at: start) == nil)
        #expect(limiter.secondsToWait("a", at: start + .milliseconds(99)) == 1)
        #expect(limiter.secondsToWait("a", at: start + .milliseconds(100)) == nil)
        #expect(limiter.secondsToWait("a", at: start + .milliseconds(100)) == 1)
        for _ in 0..<10 { #expect(limiter.secondsToWait("a", at: start + .seconds(60)) == nil) }
        #expect(limiter.secondsToWait("a", at: start + .seconds(60)) == 1)
    }

    @Test func `over an hour no more comes through than is allowed, whatever the rhythm`() {
        let limiter = RateLimiter(perSecond: 7)
        var now = ContinuousClock.now
        var passed = 0
        for _ in 0..<36_000 {
            now += .milliseconds(100)
            for _ in 0..<Int.random(in: 0...3) where limiter.secondsToWait("a", at: now) == nil {
                passed += 1
            }
        }
        #expect(passed <= 7 * 3_600 + 7 && passed > 7 * 3_600 - 700)
    }

    @Test func `one a second is one a second, and zero is no limit`() {
        let slow = RateLimiter(perSecond: 1)
        let start = ContinuousClock.now
        #expect(slow.secondsToWait("a", at: start) == nil)
        #expect(slow.secondsToWait("a", at: start + .milliseconds(1)) == 1)
        #expect(slow.secondsToWait("a", at: start + .seconds(1)) == nil)
        let none = RateLimiter(perSecond: 0)
        for _ in 0..<10_000 { #expect(none.secondsToWait("a", at: start) == nil) }
    }
}
