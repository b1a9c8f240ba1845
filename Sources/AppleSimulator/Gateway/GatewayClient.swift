import Clocks
import Locks
import PKI
import TLSServer

/// Who is at the other end of a connection, read once from the certificate.
struct GatewayClient {
    let certificate: Certificate
    /// The merchant identifier in the subject.
    let userID: String

    /// Nil for bytes that are no certificate with a UID, which no admitted client has.
    init?(_ der: [UInt8]?) {
        guard let der, let read = try? Certificate(der: der),
            let userID = read.subject.userID
        else { return nil }
        certificate = read
        self.userID = userID
    }
}

/// Decides in the handshake, after the chain and the dates are found in order, whether a client's
/// certificate is a merchant identity that Apple would recognise.
struct ClientAdmission: Sendable {
    let portal: Portal
    let desk: RudenessDesk
    let owners: SessionOwners

    /// The alert to refuse with; nil to admit, and then the client owns the connection's session.
    func refusal(_ der: [UInt8], connection: UInt64) -> TLSAlert? {
        guard let certificate = try? Certificate(der: der),
            let userID = certificate.subject.userID
        else { return .badCertificate }
        // OpenSSL lets a certificate without extended key usages pass for any use.
        guard certificate.extendedKeyUsage == [OID.clientAuth] else {
            return .unsupportedCertificate
        }
        guard certificate.extensionValue(OID.appleMerchantIdentity) == DER.null else {
            return .certificateUnknown
        }
        let (isRevoked, refusal) = portal.inspect { records in
            let number = certificate.serialNumber
            return (records.isRevoked(number), records.refusals[number])
        }
        if isRevoked { return .certificateRevoked }
        if let alert = refusal?.alert { return alert }
        if let alert = desk.clientRefusal() { return alert }
        owners.note(userID, madeOn: connection)
        return nil
    }
}

/// Whose full handshake each connection of a gateway was, to tell whose session is resumed later.
///
/// Noted within the handshake: a quick client resumes the session before the server's own thread
/// has come any further.
final class SessionOwners: Sendable {
    private let users = Locked<[UInt64: String]>([:])

    func note(_ userID: String, madeOn connection: UInt64) {
        users.withLock { $0[connection] = userID }
    }

    /// The owner of a session that was made on `connection`.
    subscript(connection: UInt64) -> String? { users.withLock { $0[connection] } }
}
