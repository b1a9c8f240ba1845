internal import CLinux
internal import Glibc

/// A TCP connection for looking at who answers; what is found out with it is the caller's business.
///
/// Blocks its thread, so it belongs on one of its own. Closed when the last reference is dropped.
package final class HostConnection: Sendable {
    /// With time-outs for reading and writing set.
    package let descriptor: Int32
    package let address: HostAddress

    private init(takingOwnershipOf descriptor: Int32, _ address: HostAddress) {
        self.descriptor = descriptor
        self.address = address
    }

    deinit {
        close(descriptor)
    }

    /// Connects to the first address that answers, before `deadline`; `host` is for errors.
    ///
    /// - Throws: ``TransferError`` of the last one that was tried.
    package static func open(
        to addresses: [HostAddress], host: String, until deadline: ContinuousClock.Instant
    ) throws(TransferError) -> HostConnection {
        var failure = TransferError.unreachable(host: host)
        for (index, address) in addresses.enumerated() {
            let left = deadline - ContinuousClock.now
            guard left > .zero else { throw .connectTimedOut(host: host, stage: .connecting) }
            // One that is silent must not use up the time of those behind it.
            let share = left / (addresses.count - index)
            do throws(TransferError) {
                return try open(to: address, host: host, within: share, until: deadline)
            } catch {
                failure = error
            }
        }
        throw failure
    }

    private static func open(
        to address: HostAddress, host: String, within limit: Duration,
        until deadline: ContinuousClock.Instant
    ) throws(TransferError) -> HostConnection {
        let descriptor = purser_stream_socket(address.family)
        guard descriptor >= 0 else { throw .tooManyFiles }
        let connection = HostConnection(takingOwnershipOf: descriptor, address)
        let status = unsafe address.bytes.withUnsafeBytes { bytes in
            unsafe bytes.withMemoryRebound(to: sockaddr.self) { address in
                guard let start = address.baseAddress else { return Int32(-1) }
                return unsafe connect(descriptor, start, socklen_t(bytes.count))
            }
        }
        if status != 0 {
            guard errno == EINPROGRESS else { throw refusal(errno, host: host) }
            var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard unsafe poll(&ready, 1, Int32(clamping: limit.milliseconds)) == 1 else {
                throw .connectTimedOut(host: host, stage: .connecting)
            }
            var number: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &size)
            guard number == 0 else { throw refusal(number, host: host) }
        }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
        connection.limitWaits(to: max(deadline - ContinuousClock.now, .milliseconds(1)))
        return connection
    }

    private func limitWaits(to limit: Duration) {
        let milliseconds = max(limit.milliseconds, 1)
        var time = timeval(
            tv_sec: milliseconds / 1_000, tv_usec: milliseconds % 1_000 * 1_000)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            unsafe setsockopt(
                descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    private static func refusal(_ number: Int32, host: String) -> TransferError {
        number == ECONNREFUSED ? .connectionRefused(host: host) : .unreachable(host: host)
    }

    // MARK: - Through a proxy

    /// Asks the HTTP proxy at the other end for a way to `host` (RFC 9110 §9.3.6).
    ///
    /// - Throws: ``TransferError/proxyFailed(detail:)``, also where the answer is not whole by `deadline`;
    ///   ``TransferError/proxyRefused(status:)``.
    package func openTunnel(
        to host: String, port: UInt16, until deadline: ContinuousClock.Instant
    ) throws(TransferError) {
        let request = Array(
            "CONNECT \(host):\(port) HTTP/1.1\r\nHost: \(host):\(port)\r\n\r\n".utf8)
        guard
            unsafe send(descriptor, request, request.count, Int32(MSG_NOSIGNAL))
                == request.count
        else { throw .proxyFailed(detail: "it closed the connection") }
        var answer: [UInt8] = []
        var byte: UInt8 = 0
        // One by one: what follows the empty line belongs to the handshake.
        while !answer.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            // Each byte has a limit of its own, and all of them together have this one.
            guard ContinuousClock.now < deadline else {
                throw .proxyFailed(detail: "it did not answer in time")
            }
            guard answer.count < 16_384, unsafe recv(descriptor, &byte, 1, 0) == 1 else {
                throw .proxyFailed(detail: "it did not answer")
            }
            answer.append(byte)
        }
        let status = answer.prefix { $0 != UInt8(ascii: "\r") }.split(separator: 0x20).dropFirst()
        guard let code = status.first, code.elementsEqual("200".utf8) else {
            let said = String(decoding: status.first?.prefix(3) ?? [], as: UTF8.self)
            guard let number = Int(said) else {
                throw .proxyFailed(detail: "it did not speak as a proxy does")
            }
            throw .proxyRefused(status: number)
        }
    }
}
