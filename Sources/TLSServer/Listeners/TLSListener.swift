internal import CLinux
internal import Glibc
internal import Locks

/// A TLS server on a loopback address, with a thread for each connection.
///
/// Made for stand-ins and tests: simple, and therefore not fast with thousands of clients.
package final class TLSListener: Sendable {
    /// The port it listens on, chosen by the system when 0 was asked for.
    package let port: UInt16

    private let acceptor: Acceptor
    private let thread: OwnedThread
    private let isStopped = Locked(false)

    /// Starts listening on `host`, which must be a loopback address; `name` is its threads'.
    ///
    /// It throws ``TLSServerError/notLoopback(_:)`` or ``TLSServerError/cannotListen(_:errno:)``.
    package init(
        host: String = "127.0.0.1", port: UInt16 = 0, name: String, service: any TLSService
    ) throws(TLSServerError) {
        let stop = try StopSignal()
        let socket = try listenOnLoopback(host: host, port: port)
        self.port = socket.port
        let acceptor = Acceptor(
            takingOwnershipOf: socket.descriptor, name: name, service: service, stop: stop)
        self.acceptor = acceptor
        thread = OwnedThread(name: name) { acceptor.run() }
    }

    deinit {
        stop()
    }

    /// Refuses new clients, interrupts those that are served and waits for their threads to end.
    ///
    /// Not to be called from a service's own methods, which would wait for themselves.
    package func stop() {
        let isFirst = isStopped.withLock { isStopped in
            defer { isStopped = true }
            return !isStopped
        }
        guard isFirst else { return }
        acceptor.stop.raise()
        thread.join()
    }
}

/// The accepting thread and the threads it has started.
private final class Acceptor: Sendable {
    let stop: StopSignal
    private let descriptor: Int32
    private let name: String
    private let service: any TLSService
    // Numbers of connections whose threads are at their end and want joining.
    private let finished = Locked<[UInt64]>([])

    init(
        takingOwnershipOf descriptor: Int32, name: String, service: any TLSService, stop: StopSignal
    ) {
        self.descriptor = descriptor
        self.name = name
        self.service = service
        self.stop = stop
    }

    func run() {
        var threads: [UInt64: OwnedThread] = [:]
        var number: UInt64 = 0
        while (try? waitFor(descriptor, Int32(POLLIN), until: nil, unless: stop)) != nil {
            let client = purser_accept(descriptor)
            reap(&threads)
            guard client >= 0 else {
                // Out of descriptors: let some connections end before the next attempt.
                if errno == EMFILE || errno == ENFILE { usleep(10_000) }
                continue
            }
            number += 1
            let connection = number
            threads[connection] = OwnedThread(name: name) { [self] in
                meet(client, connection)
                finished.withLock { $0.append(connection) }
            }
        }
        close(descriptor)
        for thread in threads.values { thread.join() }
    }

    private func reap(_ threads: inout [UInt64: OwnedThread]) {
        let ended = finished.withLock { numbers in
            defer { numbers.removeAll(keepingCapacity: true) }
            return numbers
        }
        for number in ended { threads.removeValue(forKey: number)?.join() }
    }

    private func meet(_ client: Int32, _ number: UInt64) {
        blockBrokenPipeSignals()
        sendWithoutDelay(client)
        switch service.greeting(forConnection: number) {
        case .handshake(let context):
            converse(client, number, context)
        case .reset:
            resetAndClose(client)
        case .silence:
            outwait(client)
        }
    }

    private func converse(_ client: Int32, _ number: UInt64, _ context: TLSContext) {
        guard
            let connection = try? TLSConnection(
                takingOwnershipOf: client, number: number, context: context, stop: stop)
        else { return }
        do throws(TLSServerError) {
            try connection.shakeHands(until: ContinuousClock.now + .seconds(20))
        } catch {
            service.handshakeFailed(connection.failure(error))
            return connection.end(.abrupt)
        }
        service.serve(connection)
        connection.end(.orderly)
    }

    private func outwait(_ client: Int32) {
        var bin = [UInt8](repeating: 0, count: 4_096)
        while (try? waitFor(client, Int32(POLLIN), until: nil, unless: stop)) == true {
            guard unsafe recv(client, &bin, bin.count, 0) > 0 else { break }
        }
        close(client)
    }
}

/// Lets a write to a client that has left fail with EPIPE in this thread, whatever the process does
/// with SIGPIPE: the signal goes to the thread that writes, and here it stays pending for ever.
private func blockBrokenPipeSignals() {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
}

private func sendWithoutDelay(_ descriptor: Int32) {
    var yes: Int32 = 1
    unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, 4)
}
