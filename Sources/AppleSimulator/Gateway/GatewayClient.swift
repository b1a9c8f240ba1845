import Clocks
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

    /// The alert to refuse with; nil to admit.
    func refusal(_ der: [UInt8]) -> TLSAlert? {
        guard let certificate = try? Certificate(der: der), certificate.subject.userID != nil else {
            return .badCertificate
        }
        // OpenSSL lets a certificate without extended key usages pass for any use.
        guard certificate.extendedKeyUsage == [OID.clientAuth] else {
            return .unsupportedCertificate
        }
        guard certificate.extensionValue(OID.appleMerchantIdentity) == DER.null else {
            return .certificateUnknown
        }
        if portal.inspect({ $0.isRevoked(certificate.serialNumber) }) {
            return .certificateRevoked
        }
        return desk.clientRefusal()
    }
}
