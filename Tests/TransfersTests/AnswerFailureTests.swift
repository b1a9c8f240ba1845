import Glibc
import TestSupport
import Testing

@testable import Transfers

/// What goes wrong on the way, and with the answer.
@Suite struct AnswerFailureTests {
    let authority: TestAuthority
    let gateway: TestGateway
    let loop: TransferLoop

    init() async throws {
        authority = try TestAuthority()
        gateway = try await TestGateway(authority, clients: nil)
        loop = try TransferLoop()
    }

    private func pool(_ change: (inout PoolConfiguration) -> Void = { _ in }) -> ConnectionPool {
        var configuration = PoolConfiguration(identity: nil, trust: authority.trust)
        change(&configuration)
        return loop.pool(configuration)
    }

    private var host: String { "localhost:\(gateway.port)" }

    @Test func `a body cut short is a truncated answer`() async throws {
        await #expect(throws: TransferError.truncatedAnswer(host: host)) {
            try await pool().send(TransferRequest(.get, gateway.url("/truncated")))
        }
    }

    @Test(arguments: ["/huge", "/endless"])
    func `a body beyond the limit is left unread where the status suffices`(
        path: String
    ) async throws {
        var request = TransferRequest(.get, gateway.url(path))
        request.statusSuffices = true
        let answer = try await pool().send(request)
        #expect(answer.status == 200 && answer.body.count <= 262_144)
        request.url = gateway.url("/headline")
        await #expect(throws: TransferError.answerTooLarge(limit: 262_144)) {
            try await pool().send(request)
        }
    }

    @Test func `a scheme has no case`() async throws {
        let url = "HTTPS" + gateway.url("/huge").dropFirst(5)
        var request = TransferRequest(.get, url)
        request.statusSuffices = true
        #expect(try await pool().send(request).status == 200)
    }

    @Test(arguments: ["/huge", "/endless", "/headline", "/headlines"])
    func `an answer beyond the limit is refused while it arrives`(path: String) async throws {
        await #expect(throws: TransferError.answerTooLarge(limit: 262_144)) {
            try await pool().send(TransferRequest(.get, gateway.url(path)))
        }
    }

    @Test func `an answer as large as the limit is accepted`() async throws {
        let pool = pool { $0.maximumResponseBytes = 1_000_000 }
        #expect(
            try await pool.send(TransferRequest(.get, gateway.url("/huge"))).body.count == 1_000_000
        )
    }

    @Test func `what is no HTTP is a malformed answer`() async throws {
        await #expect(throws: TransferError.malformedAnswer(host: host)) {
            try await pool().send(TransferRequest(.get, gateway.url("/garbage")))
        }
    }

    @Test(arguments: ["/silence", "/reset"])
    func `a connection closed without an answer is told`(path: String) async throws {
        let error = TransferError.closedBeforeAnswer(connectionReused: false)
        #expect(error.requestMayHaveArrived)
        await #expect(throws: error) {
            try await pool().send(TransferRequest(.post, gateway.url(path)))
        }
    }

    @Test func `an answer that takes too long is given up in time`() async throws {
        let pool = pool { $0.totalTimeout = .milliseconds(300) }
        let clock = ContinuousClock()
        let took = await clock.measure {
            await #expect(throws: TransferError.answerTimedOut(host: host)) {
                try await pool.send(TransferRequest(.get, gateway.url("/slow/5000")))
            }
        }
        #expect(took >= .milliseconds(290) && took < .seconds(3))
        // The request's own limit wins.
        await #expect(throws: TransferError.answerTimedOut(host: host)) {
            try await self.pool().send(
                TransferRequest(
                    .get, gateway.url("/slow/5000"), timeLimit: .milliseconds(200)))
        }
    }

    @Test func `a closed port is a refused connection`() async throws {
        let listener = try Listener(backlog: 1)
        listener.close()
        await #expect(
            throws: TransferError.connectionRefused(host: "127.0.0.1:\(listener.port)")
        ) {
            try await pool().send(TransferRequest(.get, "https://127.0.0.1:\(listener.port)/"))
        }
    }

    @Test func `a host that does not accept is given up in time`() async throws {
        // A queue that is full: the kernel drops what comes after.
        let listener = try Listener(backlog: 0)
        listener.fill()
        let pool = pool { $0.connectTimeout = .milliseconds(300) }
        await #expect(
            throws: TransferError.connectTimedOut(
                host: "127.0.0.1:\(listener.port)", stage: .connecting)
        ) {
            try await pool.send(TransferRequest(.get, "https://127.0.0.1:\(listener.port)/"))
        }
    }

    @Test func `a name that is none is not resolved`() async throws {
        // Reserved for this by RFC 6761.
        await #expect {
            try await pool().send(TransferRequest(.get, "https://gateway.invalid/"))
        } throws: {
            let error = $0 as? TransferError
            return error == .nameNotResolved(host: "gateway.invalid")
                || error == .connectTimedOut(host: "gateway.invalid", stage: .nameLookup)
        }
    }

    @Test func `a proxy is used, and its refusals are told apart`() async throws {
        let folder = TemporaryFolder()
        let open = try BackgroundProcess(
            "python3", [peer("proxy.py"), "--log", folder.file("log")], in: folder.path)
        let closed = try BackgroundProcess(
            "python3", [peer("proxy.py"), "--log", folder.file("log"), "--answer", "407"],
            in: folder.path, name: "closed")
        let port = try await portPrinted(by: open)
        let request = TransferRequest(.post, gateway.url("/echo"), body: [1])
        let through = pool { $0.proxy = "http://user:secret@127.0.0.1:\(port)" }
        for number in 0..<2 {
            let response = try await through.send(request)
            #expect(response.body == [1])
            #expect(response.connectionReused == (number == 1))
        }
        #expect(String(decoding: folder.read("log"), as: UTF8.self) == "CONNECT \(host)\n")
        let closedPort = try await portPrinted(by: closed)
        await #expect(throws: TransferError.proxyRefused(status: 407)) {
            try await pool { $0.proxy = "http://127.0.0.1:\(closedPort)" }.send(request)
        }
        // A refusal without an end would be read for as long as it comes, by the thread that all share.
        let endless = try BackgroundProcess(
            "python3",
            [peer("proxy.py"), "--log", folder.file("log"), "--answer", "403", "--endless"],
            in: folder.path, name: "endless")
        let endlessPort = try await portPrinted(by: endless)
        await #expect(throws: TransferError.proxyRefused(status: 403)) {
            try await pool { $0.proxy = "http://127.0.0.1:\(endlessPort)" }.send(request)
        }
        // Nor may its header be without an end, whatever it begins with.
        for (status, name) in [("200", "long-winded"), ("100", "hesitant")] {
            let talker = try BackgroundProcess(
                "python3",
                [
                    peer("proxy.py"), "--log", folder.file("log"), "--answer", status,
                    "--endless-head",
                ], in: folder.path, name: name)
            let port = try await portPrinted(by: talker)
            await #expect(
                throws: TransferError.proxyFailed(detail: "its answer to CONNECT is too long")
            ) {
                try await pool { $0.proxy = "http://127.0.0.1:\(port)" }.send(request)
            }
        }
        let nobody = try Listener(backlog: 1)
        nobody.close()
        await #expect(
            throws: TransferError.proxyFailed(detail: "cannot connect to 127.0.0.1:\(nobody.port)")
        ) {
            try await pool { $0.proxy = "http://user:secret@127.0.0.1:\(nobody.port)/" }
                .send(request)
        }
    }
}

/// A TCP listener that never accepts.
final class Listener: Sendable {
    let port: Int
    private let descriptor: Int32

    init(backlog: Int32) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = self.descriptor
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) + listen(descriptor, backlog)
                    + getsockname(descriptor, address, &length)
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        try #require(status == 0)
    }

    /// Connects until the queue takes no more.
    func fill() {
        for _ in 0..<4 {
            let client = socket(
                AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            address.sin_port = UInt16(port).bigEndian
            _ = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
    }

    /// Whether somebody has connected.
    var hasCaller: Bool {
        var place = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&place, 1, 0) == 1
    }

    /// Leaves the port to nobody.
    func close() {
        _ = Glibc.shutdown(descriptor, Int32(SHUT_RDWR))
    }

    deinit {
        _ = Glibc.close(descriptor)
    }
}
