import Clocks
import PKI

/// An answered merchant session, with the fields that Apple's have.
struct MerchantSession {
    let request: SessionRequest
    let issuedAt: Timestamp
    let identifier: String
    let nonce: String

    /// A new session for `request`, with identifiers of Apple's shapes.
    init(_ request: SessionRequest, now: Timestamp) {
        self.request = request
        issuedAt = now
        let random = Hexadecimal.uppercase((0..<16).map { _ in UInt8.random(in: 0...255) })
        identifier = "SSH\(random)_\(Self.serviceHash)"
        nonce = Hexadecimal.lowercase((0..<4).map { _ in UInt8.random(in: 0...255) })
    }

    // Apple's identifiers end in one and the same hash; ours says whose it is.
    private static let serviceHash = merchantHash(Authority.mark)

    private var epochTimestamp: Int64 { issuedAt.seconds * 1_000 }
    // Apple writes an hour, though it lets a session live for five minutes.
    private var expiresAt: Int64 { epochTimestamp + 3_600_000 }
    private var hash: String { merchantHash(request.merchantIdentifier) }

    /// What the signature covers.
    ///
    /// Which bytes Apple signs is not known; these are ours, so that a test can check the whole
    /// signature: the fields before `signature`, in their order, joined by line feeds.
    var signedBytes: [UInt8] {
        let fields = [
            String(epochTimestamp), String(expiresAt), identifier, nonce, hash,
            request.initiativeContext, request.displayName,
        ]
        return Array(fields.joined(separator: "\n").utf8)
    }

    /// The JSON, in Apple's order of keys and without blanks.
    func json(signature: [UInt8]) -> String {
        """
        {"epochTimestamp":\(epochTimestamp),"expiresAt":\(expiresAt),\
        "merchantSessionIdentifier":"\(identifier)","nonce":"\(nonce)",\
        "merchantIdentifier":"\(hash)","domainName":\(jsonString(request.initiativeContext)),\
        "displayName":\(jsonString(request.displayName)),\
        "signature":"\(Hexadecimal.lowercase(signature))",\
        "operationalAnalyticsIdentifier":\(jsonString("\(request.displayName):\(hash)")),\
        "retries":0,"pspId":"\(hash)"}
        """
    }
}
