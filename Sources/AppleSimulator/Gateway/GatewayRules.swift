import Clocks
import PKI

/// What Apple checks of a request before it makes a session: pure, in Apple's order.
struct GatewayRules: Sendable {
    /// Whether a session is refused while no payment processing certificate is active.
    let requiresActiveProcessing: Bool

    static let paths = ["/paymentservices/paymentSession", "/paymentservices/startSession"]

    /// Whether the request is one for a session at all.
    func checkTarget(method: String, path: String) throws(GatewayRefusal) {
        guard Self.paths.contains(path) else { throw .noSuchPath }
        guard method == "POST" else { throw .wrongMethod }
    }

    /// Whether `client` gets the session it asks for.
    func check(
        _ request: SessionRequest?, from client: GatewayClient, records: PortalRecords,
        now: Timestamp
    ) throws(GatewayRefusal) -> SessionRequest {
        // The handshake looked at these too, but a connection or a TLS session can be older.
        guard client.certificate.isValid(at: now),
            !records.isRevoked(client.certificate.serialNumber)
        else { throw .notRecognised(client.userID) }
        if let refusal = records.refusals[client.certificate.serialNumber] {
            throw refusal.refusal(of: client.userID)
        }
        guard let request else { throw .malformed }
        guard request.initiative == "web" else { throw .initiativeUnsupported }
        // Documented for displayName: 64 or fewer characters.
        guard request.displayName.count <= 64 else { throw .displayNameTooLong }
        let asked = request.merchantIdentifier
        guard let merchant = records.merchants[asked] else {
            throw .unknownMerchant(client.userID, onBehalfOf: asked)
        }
        guard asked == client.userID else { throw .unauthorised(client.userID, onBehalfOf: asked) }
        guard Self.hash(in: client.certificate)?.uppercased() == merchantHash(asked) else {
            throw .notRecognised(client.userID)
        }
        guard merchant.domains.contains(request.initiativeContext) else {
            throw .unregisteredDomain(request.initiativeContext, asked)
        }
        if requiresActiveProcessing && !records.hasActiveProcessing(asked, now: now) {
            throw .unregisteredForService(asked)
        }
        return request
    }

    /// The merchant's hash as the certificate has it (6.32).
    private static func hash(in certificate: Certificate) -> String? {
        guard let value = certificate.extensionValue(OID.appleMerchantHash) else { return nil }
        var reader = DERReader(value)
        guard let text = try? reader.next(), text.tag == 0x0C, reader.isAtEnd else { return nil }
        return String(decoding: text.content, as: UTF8.self)
    }
}
