import EventLoops
import Glibc
import Locks
import TestSupport
import Testing
import WebServer

/// What a server does when its process has no descriptor left.
@Suite struct ExhaustionTests {
    @Test func `it rests, says so, and goes on when there is one`() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            limit.rlim_cur = 128
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let told = Locked(0)
            let loop = try #require(EventLoop(name: "server"))
            let server = try WebServer(
                on: [loop], listening: [try ListenAddress("127.0.0.1:0")],
                refusing: { _, _ in .empty(status: 503) },
                exhausted: { told.withLock { $0 += 1 } }, handler: { _ in .text("hello") })
            guard case .ipv4(_, let port) = server.addresses[0] else { return }
            let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var taken: [Int32] = []
            while case let descriptor = dup(0), descriptor >= 0 { taken.append(descriptor) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let status = withUnsafeBytes(of: &address) {
                connect(client, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), size)
            }
            #expect(status == 0)
            let before = processorTime()
            usleep(1_500_000)
            // It would be 1.5 s if it tried without end.
            #expect(processorTime() - before < 0.5)
            #expect(told.withLock { $0 } == 1)
            for descriptor in taken { close(descriptor) }
            let request = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            #expect(send(client, request, request.utf8.count, 0) == request.utf8.count)
            var answer = [UInt8](repeating: 0, count: 999)
            var until = timeval(tv_sec: 30, tv_usec: 0)
            setsockopt(
                client, SOL_SOCKET, SO_RCVTIMEO, &until, socklen_t(MemoryLayout<timeval>.size))
            let count = recv(client, &answer, answer.count, 0)
            let text = String(decoding: answer.prefix(max(count, 0)), as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 200"))
            await server.drain(within: .zero)
        }
    }

    @Test func `it does not start without a descriptor for each of its loops`() async {
        await #expect(processExitsWith: .success) {
            let loops = try (0..<8).map { _ in try #require(EventLoop(name: "server")) }
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let next = dup(0)
            close(next)
            limit.rlim_cur = rlim_t(next) + 8
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let address = try ListenAddress("127.0.0.1:0")
            #expect {
                _ = try WebServer(
                    on: loops, listening: [address],
                    refusing: { _, _ in .empty(status: 503) }, handler: { _ in .empty() })
            } throws: {
                guard case .tooFewFiles = $0 as? WebServerError else { return false }
                return true
            }
        }
    }
}

/// What this process has used of its processors, in seconds.
private func processorTime() -> Double {
    var usage = rusage()
    getrusage(RUSAGE_SELF.rawValue, &usage)
    let times = [usage.ru_utime, usage.ru_stime]
    return times.reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
}
