import EventLoops
import Glibc
import Locks
import TestSupport
import Testing

@Suite struct EventLoopTests {
    private func makeLoop() throws -> EventLoop {
        try #require(EventLoop(name: "loop"))
    }

    @Test func `what is asked of a loop happens in order, on one thread`() async throws {
        let loop = try makeLoop()
        let seen = Locked<[Int]>([])
        let threads = Locked<Set<pthread_t>>([])
        for number in 0..<1000 {
            loop.perform {
                seen.withLock { $0.append(number) }
                threads.withLock { _ = $0.insert(pthread_self()) }
            }
        }
        loop.performAndWait {}
        #expect(seen.withLock { $0 } == Array(0..<1000))
        #expect(threads.withLock { $0.count } == 1)
        await loop.shutDown()
    }

    @Test func `orders from many threads are all carried out`() async throws {
        let loop = try makeLoop()
        let count = Locked(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for index in 0..<2_000 {
                        loop.perform { count.withLock { $0 += 1 } }
                        // Now and then the loop gets the time to fall asleep.
                        if index % 500 == 0 { try? await Task.sleep(for: .milliseconds(2)) }
                    }
                }
            }
        }
        loop.performAndWait {}
        #expect(count.withLock { $0 } == 16_000)
        await loop.shutDown()
    }

    @Test func `a task that prefers a loop goes on there after it has waited`() async throws {
        let loop = try makeLoop()
        let own = Locked<pthread_t?>(nil)
        loop.performAndWait { own.withLock { $0 = pthread_self() } }
        let waiting = Locked<CheckedContinuation<Void, Never>?>(nil)
        let task = Task(executorPreference: loop.executor) {
            await withCheckedContinuation { waiter in waiting.withLock { $0 = waiter } }
            return currentThread()
        }
        try #require(
            await BackgroundProcess.wait(seconds: 30) { waiting.withLock { $0 != nil } })
        waiting.withLock { $0 }?.resume()
        #expect(await task.value == own.withLock { $0 })
        await loop.shutDown()
    }

    @Test func `a task outlives the loop that it prefers`() async throws {
        let loop = try makeLoop()
        let waiting = Locked<CheckedContinuation<Void, Never>?>(nil)
        let task = Task(executorPreference: loop.executor) {
            await withCheckedContinuation { waiter in waiting.withLock { $0 = waiter } }
            return "done"
        }
        try #require(
            await BackgroundProcess.wait(seconds: 30) { waiting.withLock { $0 != nil } })
        await loop.shutDown()
        waiting.withLock { $0 }?.resume()
        #expect(await task.value == "done")
    }

    @Test func `after the stop, work is done by whoever asks for it`() async throws {
        let loop = try makeLoop()
        let before = Locked(false)
        loop.perform { before.withLock { $0 = true } }
        await loop.shutDown()
        await loop.shutDown()
        #expect(before.withLock { $0 })
        let ran = Locked<pthread_t?>(nil)
        let me = currentThread()
        loop.performAndWait { ran.withLock { $0 = pthread_self() } }
        #expect(ran.withLock { $0 } == me)
        #expect(!loop.host(loop.makeDoorbell()) { Counter() })
    }

    @Test func `a loop that nobody holds ends its thread`() async throws {
        func useOne() throws {
            let loop = try #require(EventLoop(name: "forgotten"))
            loop.performAndWait {}
            #expect(threads(named: "forgotten") == 1)
        }
        try useOne()
        #expect(try await BackgroundProcess.wait(seconds: 30) { threads(named: "forgotten") == 0 })
    }
}

/// Not in the test's body, where a compiler may think that the thread never changes.
private func currentThread() -> pthread_t { pthread_self() }

private func threads(named name: String) -> Int {
    guard let folder = opendir("/proc/self/task") else { return 0 }
    defer { closedir(folder) }
    var count = 0
    while let entry = readdir(folder) {
        let number = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        guard let file = fopen("/proc/self/task/\(number)/comm", "r") else { continue }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 32)
        guard fgets(&line, 32, file) != nil else { continue }
        let bytes = line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }
        if String(decoding: bytes, as: UTF8.self) == name { count += 1 }
    }
    return count
}
