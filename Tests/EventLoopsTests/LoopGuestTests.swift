import EventLoops
import Glibc
import Locks
import TestSupport
import Testing

@Suite struct LoopGuestTests {
    private let loop: EventLoop
    private let bell: Doorbell
    private let seen = Locked(Counter.Seen())

    init() throws {
        loop = try #require(EventLoop(name: "loop"))
        bell = loop.makeDoorbell()
    }

    /// Hosts a counter and gives the end to write to, after the turn that every guest begins with.
    private func host(pauses: [NextTurn] = []) async throws -> Int32 {
        let descriptor = Locked<Int32>(-1)
        let seen = seen
        #expect(
            loop.host(bell) {
                let guest = Counter(seen, pauses: pauses)
                descriptor.withLock { $0 = guest.entrance }
                return guest
            })
        try await reaches { $0.turns >= 1 }
        return descriptor.withLock { $0 }
    }

    private func reaches(_ isThere: @Sendable @escaping (Counter.Seen) -> Bool) async throws {
        let seen = seen
        try #require(await BackgroundProcess.wait(seconds: 30) { isThere(seen.withLock { $0 }) })
    }

    @Test func `a guest has a turn when its descriptor is readable`() async throws {
        let entrance = try await host()
        write(entrance, "hello", 5)
        try await reaches { $0.read == 5 }
        // More than it takes in one turn.
        write(entrance, [UInt8](repeating: 0, count: 100), 100)
        try await reaches { $0.read == 105 }
        await loop.shutDown()
    }

    @Test func `a guest has a turn when its bell is rung, from any thread`() async throws {
        _ = try await host()
        for turn in 2..<20 {
            bell.ring()
            try await reaches { $0.turns >= turn }
        }
        await loop.shutDown()
    }

    @Test func `a guest has a turn when the time is over that it asked for`() async throws {
        let started = ContinuousClock.now
        _ = try await host(pauses: [
            .within(.milliseconds(100)), .within(.zero), .within(.milliseconds(100)),
        ])
        try await reaches { $0.turns == 4 }
        #expect(ContinuousClock.now - started >= .milliseconds(200))
        // Nothing more is planned.
        try await Task.sleep(for: .milliseconds(100))
        #expect(seen.withLock { $0.turns } == 4)
        await loop.shutDown()
    }

    @Test func `a guest that rests is not called for what is readable, and then is`() async throws {
        let started = ContinuousClock.now
        let entrance = try await host(pauses: [.after(.milliseconds(200))])
        write(entrance, "hello", 5)
        try await reaches { $0.read == 5 }
        #expect(ContinuousClock.now - started >= .milliseconds(200))
        #expect(seen.withLock { $0.turns } == 2)
        write(entrance, "hello", 5)
        try await reaches { $0.read == 10 }
        await loop.shutDown()
    }

    @Test func `a guest that wants to go on at once leaves time for others`() async throws {
        _ = try await host(pauses: Array(repeating: .within(.zero), count: 100_000))
        let ran = Locked(false)
        loop.performAndWait { ran.withLock { $0 = true } }
        #expect(ran.withLock { $0 })
        await loop.shutDown()
    }

    @Test func `a guest that is evicted is told, let go, and never called again`() async throws {
        let gone = Locked(0)
        let seen = seen
        #expect(
            loop.host(bell) {
                gone.withLock { $0 += 1 }
            } _: {
                Counter(seen)
            })
        loop.evict(bell)
        loop.evict(bell)
        bell.ring()
        loop.performAndWait {}
        let end = seen.withLock { $0 }
        #expect(end.evicted == 1)
        #expect(end.released == 1)
        #expect(gone.withLock { $0 } == 1)
        let turns = end.turns
        bell.ring()
        loop.performAndWait {}
        #expect(seen.withLock { $0.turns } == turns)
        await loop.shutDown()
    }

    @Test func `a stop evicts whoever is there`() async throws {
        _ = try await host()
        await loop.shutDown()
        #expect(seen.withLock { $0.evicted } == 1)
        #expect(seen.withLock { $0.released } == 1)
    }
}
