import Glibc
import TestSupport
import Testing

@testable import Transfers

/// What only a process of its own can show: its files, its threads, its environment.
@Suite struct ProcessTests {
    @Test func `the environment's proxies and trust are ignored`() async {
        await #expect(processExitsWith: .success) {
            for name in ["https_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"] {
                setenv(name, "http://127.0.0.1:1", 1)
            }
            let authority = try TestAuthority()
            setenv("SSL_CERT_FILE", authority.rootPath, 1)
            setenv("CURL_CA_BUNDLE", authority.rootPath, 1)
            setenv("SSLKEYLOGFILE", authority.folder.file("keys"), 1)
            let gateway = try await TestGateway(authority, clients: nil)
            let loop = try TransferLoop()
            let request = TransferRequest(.get, gateway.url("/echo"))
            let pool = loop.pool(PoolConfiguration(identity: nil, trust: authority.trust))
            #expect(try await pool.send(request).status == 200)
            #expect(authority.folder.read("keys").isEmpty)
            await #expect {
                try await loop.pool(PoolConfiguration(identity: nil)).send(request)
            } throws: {
                ($0 as? TransferError)?.code == "transfer.server-untrusted"
            }
        }
    }

    @Test func `two thousand requests leave no file open`() async {
        await #expect(processExitsWith: .success) {
            let authority = try TestAuthority()
            let gateway = try await TestGateway(authority, clients: authority, ["--leave", "0.1"])
            let loop = try TransferLoop()
            var configuration = PoolConfiguration(
                identity: try authority.client("merchant.com.example.a"), trust: authority.trust)
            configuration.maximumConnections = 8
            let pool = loop.pool(configuration)
            var counts: [Int] = []
            for _ in 0..<4 {
                try await withThrowingTaskGroup { group in
                    for _ in 0..<8 {
                        group.addTask {
                            for number in 0..<64 {
                                let path = number % 16 == 15 ? "/truncated" : "/echo"
                                let request = TransferRequest(.post, gateway.url(path))
                                do {
                                    _ = try await sendAsACallerWould(request, over: pool)
                                } catch TransferError.truncatedAnswer {}
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                counts.append(openFiles())
            }
            // At most eight connections, and those that the server closed and curl still has.
            #expect(counts.allSatisfy { abs($0 - counts[0]) <= 8 }, "\(counts)")
            pool.close()
            let emptied = try await BackgroundProcess.wait(seconds: 10) {
                openFiles() <= counts[0] - 2
            }
            #expect(emptied)
        }
    }

    @Test func `thousands of pools cost no file until they are used, and none after`() async {
        await #expect(processExitsWith: .success) {
            let authority = try TestAuthority()
            let gateway = try await TestGateway(authority, clients: nil)
            let loop = try TransferLoop()
            var configuration = PoolConfiguration(identity: nil, trust: authority.trust)
            configuration.idleLifetime = .milliseconds(300)
            let before = openFiles()
            let pools = (0..<3000).map { _ in loop.pool(configuration) }
            let request = TransferRequest(.get, gateway.url("/echo"))
            for pool in pools.prefix(20) { _ = try await pool.send(request) }
            #expect(openFiles() > before)
            let emptied = try await BackgroundProcess.wait(seconds: 10) { openFiles() <= before }
            #expect(emptied, "\(before), then \(openFiles())")
            for pool in pools.prefix(2) { _ = try await pool.send(request) }
        }
    }

    @Test func `a process with no file left says so, and goes on when there is one`() async {
        await #expect(processExitsWith: .success) {
            let authority = try TestAuthority()
            let gateway = try await TestGateway(authority, clients: nil)
            let loop = try TransferLoop()
            let pool = loop.pool(PoolConfiguration(identity: nil, trust: authority.trust))
            let request = TransferRequest(.get, gateway.url("/echo"))
            var taken: [Int32] = []
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            limit.rlim_cur = 64
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            while case let descriptor = dup(0), descriptor >= 0 { taken.append(descriptor) }
            // At each count of free files something else fails first: the multi, the name, the
            // socket.
            for _ in 0..<6 {
                do {
                    _ = try await pool.send(request)
                    break
                } catch let error as TransferError {
                    #expect(error == .tooManyFiles)
                }
                if let last = taken.popLast() { close(last) }
            }
            taken.forEach { close($0) }
            #expect(try await pool.send(request).status == 200)
        }
    }

    @Test func `a loop that nobody holds ends its thread`() async {
        await #expect(processExitsWith: .success) {
            let authority = try TestAuthority()
            let gateway = try await TestGateway(authority, clients: nil)
            func useOne() async throws {
                let pool = try TransferLoop().pool(
                    PoolConfiguration(identity: nil, trust: authority.trust))
                _ = try await pool.send(TransferRequest(.get, gateway.url("/echo")))
                #expect(loopThreads() == 1)
            }
            try await useOne()
            #expect(try await BackgroundProcess.wait(seconds: 10) { loopThreads() == 0 })
            let stopped = try TransferLoop()
            #expect(try await BackgroundProcess.wait(seconds: 10) { loopThreads() == 1 })
            await stopped.shutDown()
            #expect(loopThreads() == 0)
        }
    }
}

/// How many descriptors this process has open.
private func openFiles() -> Int {
    listing(of: "/proc/self/fd").count
}

/// How many threads of this process are transfer loops.
private func loopThreads() -> Int {
    listing(of: "/proc/self/task").filter { task in
        guard let file = fopen("/proc/self/task/\(task)/comm", "r") else { return false }
        defer { fclose(file) }
        var name = [CChar](repeating: 0, count: 32)
        fgets(&name, 32, file)
        return name.prefix(9).elementsEqual("transfers".utf8CString.dropLast())
    }.count
}

private func listing(of folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
        names.append(
            withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            })
    }
    return names
}
