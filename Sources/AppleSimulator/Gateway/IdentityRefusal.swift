package import TLSServer

/// How the gateways refuse one identity, while they accept others.
///
/// In JSON `{"alert":46}` or `{"status":403}`. An alert is for new connections; on one that was made
/// before, the identity is answered as one that Apple does not know any more.
package enum IdentityRefusal: Sendable, Equatable {
    case alert(TLSAlert)
    /// An HTTP status of Apple's, in the words that go with it.
    case status(Int)

    var alert: TLSAlert? {
        if case .alert(let alert) = self { alert } else { nil }
    }

    /// What a request of `client` is answered.
    func refusal(of client: String) -> GatewayRefusal {
        switch self {
        case .alert: .notRecognised(client)
        case .status(let status): .ordered(status, client)
        }
    }
}

extension IdentityRefusal: Codable {
    private enum CodingKeys: String, CodingKey { case alert, status }

    package init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: CodingKeys.self)
        let alert = try box.decodeIfPresent(TLSAlert.self, forKey: .alert)
        let status = try box.decodeIfPresent(Int.self, forKey: .status)
        switch (alert, status) {
        case (let alert?, nil): self = .alert(alert)
        case (nil, let status?) where (400...599).contains(status): self = .status(status)
        default:
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "write {\"alert\":46} or {\"status\":403}"))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var box = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .alert(let alert): try box.encode(alert, forKey: .alert)
        case .status(let status): try box.encode(status, forKey: .status)
        }
    }
}
