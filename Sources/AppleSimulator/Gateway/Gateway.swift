import Clocks
import PKI
import TLSServer

/// One payment-services gateway: demands a merchant identity and answers with sessions, or errors,
/// or worse.
final class Gateway: TLSService {
    private let name: String
    private let contexts: [Rudeness.ServerCertificate: TLSContext]
    private let portal: Portal
    private let desk: RudenessDesk
    private let rules: GatewayRules
    private let signer: SessionSigner
    private let log: RequestLog
    private let clock: any WallClock
    private let owners: SessionOwners

    init(
        name: String, contexts: [Rudeness.ServerCertificate: TLSContext], portal: Portal,
        desk: RudenessDesk, rules: GatewayRules, signer: SessionSigner, log: RequestLog,
        clock: any WallClock, owners: SessionOwners
    ) {
        self.name = name
        self.contexts = contexts
        self.portal = portal
        self.desk = desk
        self.rules = rules
        self.signer = signer
        self.log = log
        self.clock = clock
        self.owners = owners
    }

    func greeting(forConnection connection: UInt64) -> Greeting {
        switch desk.welcome() {
        case .reset: .reset
        case .silence: .silence
        case .handshake(let certificate):
            contexts[certificate].map { .handshake($0) } ?? .reset
        }
    }

    func handshakeFailed(_ failure: HandshakeFailure) {
        let client = GatewayClient(failure.clientCertificate)
        log.append(
            RequestRecord(
                event: .handshakeFailed, time: clock.now, gateway: name,
                connection: failure.connection, request: 0, clientUID: client?.userID,
                clientSerialNumber: client?.certificate.serialNumber, isResumed: false,
                serverName: failure.serverName, rudeness: [], reason: failure.reason))
    }

    func serve(_ connection: TLSConnection) {
        let facts = connection.facts
        guard let client = GatewayClient(facts.clientCertificate) else { return }
        var record = RequestRecord(
            event: .request, time: clock.now, gateway: name, connection: connection.number,
            request: 0, clientUID: client.userID,
            clientSerialNumber: client.certificate.serialNumber, isResumed: facts.isResumed,
            serverName: facts.serverName, tlsVersion: facts.version, rudeness: [])
        record.sessionMadeOn = facts.sessionMadeOn
        record.sessionOwnerUID = facts.sessionMadeOn.flatMap { owners[$0] }
        var requests = HTTPRequests(on: connection)
        do {
            while let request = try requests.next(idle: desk.idleLimit) {
                record.request += 1
                record.time = clock.now
                let exchange = GatewayExchange(
                    request: request, mood: desk.mood(), connection: connection)
                guard try answer(exchange, from: client, record) else { return }
            }
        } catch let fault as HTTPFault {
            let answer = HTTPAnswer(
                fault.status, json: "{\"statusMessage\":\(jsonString(fault.words))}")
            record.request += 1
            record.status = fault.status
            record.reason = fault.words
            log.append(record)
            try? connection.write(answer.encoded(closing: true), until: .now + .seconds(10))
        } catch {
            // The client has left, or the listener stops: there is nobody to tell.
        }
    }

    /// Answers one request, or does not; false when the connection is to end.
    private func answer(
        _ exchange: GatewayExchange, from client: GatewayClient, _ record: RequestRecord
    ) throws -> Bool {
        var record = record
        let body = SessionRequest(exchange.request.body)
        record.method = exchange.request.method
        record.path = exchange.request.path
        record.merchantIdentifier = body?.merchantIdentifier
        record.domain = body?.initiativeContext
        record.displayName = body?.displayName
        record.rudeness = exchange.mood.acts.sorted { $0.rawValue < $1.rawValue }
        if exchange.mood.delay > .zero { try exchange.connection.pause(for: exchange.mood.delay) }
        if try exchange.withholdAnswer(noting: { log.append(record) }) { return false }
        var answer: HTTPAnswer
        do throws(GatewayRefusal) {
            answer = try honestAnswer(exchange, body, client)
        } catch {
            answer = HTTPAnswer(error.status, json: error.body)
            record.reason = error.message
        }
        exchange.spoil(&answer, merchant: body?.merchantIdentifier ?? client.userID)
        record.status = answer.status
        record.answerSHA256 = Hexadecimal.lowercase(SHA256.hash(answer.body))
        // Logged first, so that a client that has its answer finds itself in the log.
        log.append(record)
        return try exchange.send(answer)
    }

    private func honestAnswer(
        _ exchange: GatewayExchange, _ body: SessionRequest?, _ client: GatewayClient
    ) throws(GatewayRefusal) -> HTTPAnswer {
        let request = exchange.request
        if let host = request.fields["host"], isAppleHost(host.prefix { $0 != ":" }) {
            throw .misdirected
        }
        try rules.checkTarget(method: request.method, path: request.path)
        let now = clock.now
        let granted = portal.inspect { records in
            Result { () throws(GatewayRefusal) in
                try rules.check(body, from: client, records: records, now: now)
            }
        }
        let session = MerchantSession(try granted.get(), now: now)
        guard let signature = try? signer.sign(session.signedBytes, now: now) else {
            throw .ordered(500, client.userID)
        }
        return HTTPAnswer(200, json: session.json(signature: signature))
    }
}
