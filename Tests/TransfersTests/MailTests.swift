import Secrets
import TestSupport
import Testing

@testable import Transfers

/// Mail, handed in at a real server.
@Suite struct MailTests {
    static let certificate = Result { try ServerCertificate() }

    private func server(
        _ peer: MailPeer, _ scheme: String = "smtps", login: MailServer.Login? = nil,
        isPlain: Bool = false
    ) throws -> MailServer {
        var server = try MailServer("\(scheme)://localhost:\(peer.port)", isPlain: isPlain)
        server.login = login
        server.trust = .bundle(pem: try Self.certificate.get().pem)
        server.connectTimeout = .seconds(5)
        server.totalTimeout = .seconds(5)
        return server
    }

    private func login(_ password: String = "s3cret pässword") -> MailServer.Login {
        .init(user: "purser", password: SecretBytes(copying: Array(password.utf8)))
    }

    private static let text = "Subject: hello\r\n\r\nfirst line\r\n.\r\n..dots\r\nlast line\r\n"

    private func mail(_ recipient: String) throws -> MailEnvelope {
        MailEnvelope(
            sender: try MailAddress("purser@example.com"), recipient: try MailAddress(recipient),
            message: Array(Self.text.utf8))
    }

    private func failure(_ session: MailSession, _ envelope: MailEnvelope) async -> MailError? {
        do throws(MailError) {
            try await session.send(envelope)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: ["smtps", "smtp"])
    func `mail goes over TLS as somebody, each byte of it, and several over one connection`(
        scheme: String
    ) async throws {
        let peer = try await MailPeer(
            Self.certificate.get(),
            (scheme == "smtps" ? ["--implicit"] : [])
                + ["--user", "purser", "--password", "s3cret pässword"])
        let session = MailSession(try server(peer, scheme, login: login()))
        try await session.send(try mail("one@example.com"))
        try await session.send(try mail("two@example.com"))
        await session.close()
        let mails = try peer.mails()
        #expect(mails.map(\.to) == ["one@example.com", "two@example.com"])
        #expect(mails.allSatisfy { $0.from == "purser@example.com" && $0.tls })
        #expect(mails.allSatisfy { $0.login == "purser" && $0.message == Self.text })
        #expect(Set(mails.map(\.peer)).count == 1)
    }

    @Test func `a wrong password is told, and nothing is sent`() async throws {
        let peer = try await MailPeer(
            Self.certificate.get(), ["--implicit", "--user", "purser", "--password", "right"])
        let session = MailSession(try server(peer, login: login("wrong")))
        let error = await failure(session, try mail("one@example.com"))
        #expect(error == .loginRefused(host: "localhost:\(peer.port)", code: 535))
        #expect(error.map { !"\($0)\($0.remedy)".contains("wrong") } == true)
        #expect(try peer.mails().isEmpty)
    }

    @Test func `without STARTTLS nothing is sent, and to this machine only where it is said`()
        async throws
    {
        let peer = try await MailPeer(nil)
        let session = MailSession(try server(peer, "smtp", login: login()))
        #expect(
            await failure(session, try mail("one@example.com"))
                == .withoutTLS(host: "localhost:\(peer.port)"))
        #expect(try peer.mails().isEmpty)
        let plain = MailSession(try server(peer, "smtp", isPlain: true))
        try await plain.send(try mail("one@example.com"))
        #expect(try peer.mails().map(\.tls) == [false])
    }

    @Test func `a server that nobody vouches for gets nothing`() async throws {
        let peer = try await MailPeer(Self.certificate.get(), ["--implicit"])
        var server = try server(peer)
        server.trust = .bundle(pem: try ServerCertificate().pem)
        let error = await failure(MailSession(server), try mail("one@example.com"))
        guard case .unreachable(.serverUntrusted) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let other = try ServerCertificate(names: "DNS:elsewhere.example")
        let stranger = try await MailPeer(other)
        server = try MailServer("smtp://localhost:\(stranger.port)")
        server.trust = .bundle(pem: other.pem)
        let mismatch = await failure(MailSession(server), try mail("one@example.com"))
        #expect(
            mismatch == .unreachable(.serverNameMismatch(host: "localhost:\(stranger.port)")))
        #expect(try peer.mails().isEmpty && stranger.mails().isEmpty)
    }

    @Test func `each recipient has an outcome`() async throws {
        let peer = try await MailPeer(Self.certificate.get(), ["--implicit"])
        peer.setDeferring(true)
        let session = MailSession(try server(peer))
        let never = try mail("never@example.com")
        let later = try mail("later@example.com")
        let rejected = await failure(session, never)
        #expect(rejected == .rejected(recipient: never.recipient, code: 550))
        #expect(rejected?.isTemporary == false && rejected?.concernsServer == false)
        let deferred = await failure(session, later)
        #expect(deferred == .deferred(recipient: later.recipient, code: 451))
        #expect(deferred?.isTemporary == true)
        try await session.send(try mail("one@example.com"))
        peer.setDeferring(false)
        try await session.send(later)
        #expect(try peer.mails().map(\.to) == ["one@example.com", "later@example.com"])
    }

    @Test func `a connection that ends before the mail or after it is told apart`() async throws {
        let peer = try await MailPeer(Self.certificate.get(), ["--implicit"])
        let session = MailSession(try server(peer))
        let dropped = await failure(session, try mail("drop@example.com"))
        #expect(dropped == .unreachable(.closedBeforeAnswer(connectionReused: false)))
        #expect(dropped?.mayHaveBeenTaken == false)
        let lost = await failure(session, try mail("lost@example.com"))
        #expect(lost == .unanswered(host: "localhost:\(peer.port)"))
        #expect(lost?.mayHaveBeenTaken == true)
        try await session.send(try mail("one@example.com"))
    }

    @Test func `dead, mute, unfriendly and slow servers are given up`() async throws {
        let peer = try await MailPeer(Self.certificate.get(), ["--implicit", "--delay", "30"])
        var slow = try server(peer)
        slow.totalTimeout = .seconds(1)
        #expect(
            await failure(MailSession(slow), try mail("slow@example.com"))
                == .unanswered(host: "localhost:\(peer.port)"))

        let dead = try MailServer("smtps://127.0.0.1:1")
        #expect(
            await failure(MailSession(dead), try mail("one@example.com"))
                == .unreachable(.connectionRefused(host: "127.0.0.1:1")))

        let mute = try await MailPeer(nil, ["--greeting", ""])
        var server = try server(mute, "smtp")
        server.totalTimeout = .seconds(1)
        let silence = await failure(MailSession(server), try mail("one@example.com"))
        guard case .unreachable(.connectTimedOut) = silence else {
            Issue.record("\(String(describing: silence))")
            return
        }
        let unfriendly = try await MailPeer(nil, ["--greeting", "554 go away\r\n"])
        #expect(
            await failure(
                MailSession(try self.server(unfriendly, "smtp")), try mail("one@example.com"))
                == .greetingRefused(host: "localhost:\(unfriendly.port)", code: 554))
        let other = try await MailPeer(nil, ["--greeting", "HTTP/1.1 400 what\r\n\r\n"])
        let nonsense = await failure(
            MailSession(try self.server(other, "smtp")), try mail("one@example.com"))
        #expect(nonsense?.mayHaveBeenTaken == false)
    }

    @Test func `a cancelled task gives its mail up`() async throws {
        let peer = try await MailPeer(nil, ["--greeting", ""])
        var server = try server(peer, "smtp")
        server.connectTimeout = .seconds(60)
        server.totalTimeout = .seconds(60)
        let session = MailSession(server)
        let envelope = try mail("one@example.com")
        let task = Task { await failure(session, envelope) }
        try await Task.sleep(for: .milliseconds(200))
        let start = ContinuousClock.now
        task.cancel()
        #expect(await task.value == .cancelled)
        #expect(ContinuousClock.now - start < .seconds(5))
    }
}

/// What is refused before a server is asked.
@Suite struct MailSyntaxTests {
    @Test(arguments: [
        "", "@", "a", "a@", "@b", "a@b@c", "a b@example.com", "a@exa mple.com",
        "a@example.com\r\nRCPT TO:<x@example.com>", "a\r\n@example.com", "<a@example.com>",
        "a@example.com>", "\"a\"@example.com", "a@[127.0.0.1]", "ä@example.com", "a@exämple.com",
        "a@-example.com", "a@example.com SIZE=1", "a\0@example.com",
    ])
    func `an address that could end its line is none`(text: String) {
        #expect(throws: MailError.addressRefused) { try MailAddress(text) }
    }

    @Test(arguments: ["a@example.com", "a.b+c=d@xn--exmple-cua.com", "o'neill@localhost"])
    func `other addresses are`(text: String) throws {
        #expect(try MailAddress(text).text == text)
    }

    @Test func `a server's URL has a host and perhaps a port`() throws {
        let server = try MailServer("smtps://mail.example.com")
        #expect(server.host == "mail.example.com" && server.port == 465)
        #expect(server.encryption == .implicit)
        let other = try MailServer("smtp://[::1]:2525/", isPlain: true)
        #expect(other.host == "[::1]" && other.port == 2525 && other.encryption == .none)
        #expect(try MailServer("smtp://mail.example.com").port == 587)
        #expect(try MailServer("smtp://127.0.0.1:25", isPlain: true).encryption == .none)
    }

    @Test(arguments: [
        "", "mail.example.com", "http://mail.example.com", "smtp://", "smtp://:25",
        "smtp://user:secret@mail.example.com", "smtp://mail.example.com:0",
        "smtp://mail.example.com:65536", "smtp://mail.example.com:+25",
        "smtp://mail.example.com/path", "smtp://mail.example.com:25/x",
        "smtp://mail.example.com\r\nQUIT", "smtp://[::1", "smtp://[]", "smtp://[::1]x",
        "SMTP://mail.example.com", "smtp://mail example.com",
    ])
    func `any other URL is refused, without repeating it`(url: String) {
        #expect {
            try MailServer(url)
        } throws: { error in
            !"\(error)".contains("secret")
        }
    }

    @Test(arguments: [
        ("smtp://mail.example.com", "beyond this machine"), ("smtps://localhost", "TLS"),
        ("smtp://127.0.0.1.example.com", "a name"), ("smtp://10.0.0.1", "another machine"),
    ])
    func `plain is for this machine alone`(url: String, why: String) {
        #expect(throws: MailError.self) { try MailServer(url, isPlain: true) }
    }

    @Test(arguments: [
        "", "a", "a\n", "a\r\nb", "a\rb\r\n", "a\n.\n\r\n", "ä\r\n", "a\0\r\n",
        String(repeating: "a", count: 999) + "\r\n",
    ])
    func `a message that servers would read differently is not sent`(text: String) throws {
        let address = try MailAddress("a@example.com")
        let envelope = MailEnvelope(
            sender: address, recipient: address, message: Array(text.utf8))
        #expect(throws: MailError.self) { try envelope.validate() }
    }

    @Test func `a line may have 998 bytes`() throws {
        let address = try MailAddress("a@example.com")
        let line = String(repeating: "a", count: 998) + "\r\n"
        try MailEnvelope(sender: address, recipient: address, message: Array(line.utf8))
            .validate()
    }

    @Test(arguments: MailError.examples)
    func `an error is short, has a remedy, and no secret`(error: MailError) {
        #expect(error.code.hasPrefix("mail."))
        #expect(!error.remedy.isEmpty && error.remedy.count <= 120)
        #expect(error.summary.count <= 120 && !error.summary.hasSuffix("."))
    }
}
