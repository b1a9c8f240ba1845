import Glibc
import Locks
import Testing

@Suite struct OwnedThreadTests {
    @Test func `threads that were let go are waited for`() {
        let ended = Locked(0)
        for index in 0..<20 {
            OwnedThread(name: "let go") {
                usleep(index % 2 == 0 ? 0 : 20_000)
                ended.withLock { $0 += 1 }
            }.detach()
        }
        OwnedThread.joinDetached(within: .seconds(30))
        #expect(ended.withLock { $0 } == 20)
    }

    @Test func `one that does not end is left alone after a while`() {
        let mayEnd = Locked(false)
        OwnedThread(name: "busy") {
            while !mayEnd.withLock({ $0 }) { usleep(1_000) }
        }.detach()
        let waited = ContinuousClock().measure {
            OwnedThread.joinDetached(within: .milliseconds(50))
        }
        #expect(waited >= .milliseconds(50))
        mayEnd.withLock { $0 = true }
        OwnedThread.joinDetached(within: .seconds(30))
    }

    @Test func `many in a row leave nothing behind`() throws {
        for _ in 0..<200 {
            OwnedThread(name: "short") {}.detach()
        }
        OwnedThread.joinDetached(within: .seconds(30))
        let names = try #require(opendir("/proc/self/task"))
        defer { closedir(names) }
        var count = 0
        while readdir(names) != nil { count += 1 }
        #expect(count < 100)
    }
}
