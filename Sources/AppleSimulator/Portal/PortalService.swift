import Clocks
import FoundationEssentials
import Merchants
import PKI
import Problems
import TLSServer

/// The portal over HTTPS, so that a shell script can do with `curl` what a person does in Apple's.
///
/// It answers on loopback only and asks for no password: everything in it is made up.
final class PortalService: TLSService {
    private let portal: Portal
    private let desk: RudenessDesk
    private let log: RequestLog
    private let context: TLSContext

    init(portal: Portal, desk: RudenessDesk, log: RequestLog, context: TLSContext) {
        self.portal = portal
        self.desk = desk
        self.log = log
        self.context = context
    }

    func greeting(forConnection connection: UInt64) -> Greeting { .handshake(context) }

    func handshakeFailed(_ failure: HandshakeFailure) {}

    func serve(_ connection: TLSConnection) {
        var requests = HTTPRequests(on: connection)
        do {
            while let request = try requests.next(idle: nil) {
                let answer = self.answer(request).encoded(closing: request.asksToClose)
                try connection.write(answer, until: .now + .seconds(60))
                if request.asksToClose { return }
            }
        } catch let fault as HTTPFault {
            let answer = Self.refusal(fault.status, fault.words)
            try? connection.write(answer.encoded(closing: true), until: .now + .seconds(10))
        } catch {
            // The client has left, or the listener stops: there is nobody to tell.
        }
    }

    private func answer(_ request: HTTPRequest) -> HTTPAnswer {
        do {
            return try route(request)
        } catch let error as SimulatorError {
            return Self.refusal(Self.status(of: error.nature), error.portalWords ?? error.summary)
        } catch let fault as HTTPFault {
            return Self.refusal(fault.status, fault.words)
        } catch let error as DecodingError {
            return Self.refusal(400, Self.words(of: error))
        } catch {
            return Self.refusal(500, "\(error)")
        }
    }

    private func route(_ request: HTTPRequest) throws -> HTTPAnswer {
        switch (request.method, request.path) {
        case ("POST", "/merchants"):
            let merchant = try JSONDecoder().decode(NewMerchant.self, from: Data(request.body))
            try portal.register(
                merchant.identifier, domains: merchant.domains ?? [], team: merchant.team)
            return HTTPAnswer(201, json: "{\"identifier\":\(jsonString(merchant.identifier))}\n")
        case ("POST", "/certificates"):
            let order = try CertificateOrder(request.query)
            let certificate = try portal.sign(
                csr: request.body, merchant: order.merchant, kind: order.kind,
                faults: order.faults, days: order.days)
            return HTTPAnswer(201, type: "application/pkix-cert", certificate)
        case ("GET", "/certificates"):
            let listed = portal.certificates(of: request.query["merchant"]).map(
                ListedCertificate.init)
            return HTTPAnswer(200, json: try Self.json(listed))
        case ("POST", "/activate"):
            try portal.activate(serialNumber: try Self.serialNumber(request))
            return HTTPAnswer(200, json: "{}\n")
        case ("POST", "/revoke"):
            try portal.revoke(serialNumber: try Self.serialNumber(request))
            return HTTPAnswer(200, json: "{}\n")
        case ("GET", "/refusals"):
            return HTTPAnswer(200, json: try Self.json(portal.inspect { $0.refusals }))
        case ("PUT", "/refusals"):
            let refusals = try JSONDecoder().decode(
                [String: IdentityRefusal].self, from: Data(request.body))
            try portal.refuse(refusals)
            return HTTPAnswer(200, json: try Self.json(portal.inspect { $0.refusals }))
        case ("GET", "/log"):
            return HTTPAnswer(200, type: "application/jsonl", log.jsonLines)
        case ("DELETE", "/log"):
            log.clear()
            return HTTPAnswer(200, json: "{}\n")
        case ("GET", "/rudeness"):
            return HTTPAnswer(200, json: try Self.json(desk.rudeness))
        case ("PUT", "/rudeness"):
            desk.rudeness = try JSONDecoder().decode(Rudeness.self, from: Data(request.body))
            return HTTPAnswer(200, json: try Self.json(desk.rudeness))
        default:
            throw HTTPFault(404, "there is no \(request.method) \(request.path) here")
        }
    }

    private static func serialNumber(_ request: HTTPRequest) throws -> String {
        guard let number = request.query["serial"] else {
            throw HTTPFault(400, "serial is missing")
        }
        return number
    }

    private static func status(of nature: Nature) -> Int {
        switch nature {
        case .badData, .configuration: 422
        case .notFound: 404
        case .conflict: 409
        default: 500
        }
    }

    private static func words(of error: DecodingError) -> String {
        switch error {
        case .dataCorrupted(let context), .valueNotFound(_, let context),
            .typeMismatch(_, let context):
            let place = context.codingPath.map(\.stringValue).joined(separator: ".")
            return place.isEmpty
                ? context.debugDescription : "\(place): \(context.debugDescription)"
        case .keyNotFound(let key, _):
            return "\(key.stringValue) is missing"
        @unknown default:
            return "malformed JSON"
        }
    }

    private static func refusal(_ status: Int, _ words: String) -> HTTPAnswer {
        HTTPAnswer(status, json: "{\"resultString\":\(jsonString(words))}\n")
    }

    private static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
    }
}

private struct NewMerchant: Decodable {
    let identifier: String
    let domains: [String]?
    let team: String?
}

/// What `POST /certificates` is asked for in its query.
private struct CertificateOrder {
    let merchant: String
    let kind: CredentialKind
    let faults: Set<CertificateFlaw>
    let days: Int64

    init(_ query: [String: String]) throws {
        for name in query.keys where !["merchant", "kind", "fault", "days"].contains(name) {
            throw HTTPFault(400, "there is no parameter \(name)")
        }
        guard let merchant = query["merchant"] else { throw HTTPFault(400, "merchant is missing") }
        guard let kind = query["kind"].flatMap(CredentialKind.init(rawValue:)) else {
            let known = CredentialKind.allCases.map(\.rawValue).joined(separator: ", ")
            throw HTTPFault(400, "kind is one of \(known)")
        }
        guard let days = Int64(query["days"] ?? "\(CertificateMint.validDays)"),
            (0...36_500).contains(days)
        else { throw HTTPFault(400, "days is a number from 0 to 36500") }
        let faults = try (query["fault"] ?? "").split(separator: ",").map { name in
            guard let fault = CertificateFlaw(rawValue: String(name)) else {
                throw HTTPFault(400, "there is no fault \(name)")
            }
            return fault
        }
        self.merchant = merchant
        self.kind = kind
        self.faults = Set(faults)
        self.days = days
    }
}

/// How `GET /certificates` shows a certificate.
private struct ListedCertificate: Encodable {
    let serialNumber: String
    let merchant: String
    let kind: CredentialKind
    let notAfter: String
    let isActive: Bool
    let isRevoked: Bool

    init(_ issued: IssuedCertificate) {
        serialNumber = issued.serialNumber
        merchant = issued.merchant
        kind = issued.kind
        notAfter = issued.certificate.notAfter.description
        isActive = issued.isActive
        isRevoked = issued.isRevoked
    }
}
