import FoundationEssentials

/// The body of a request for a merchant session.
struct SessionRequest: Decodable {
    let merchantIdentifier: String
    let displayName: String
    let initiative: String
    let initiativeContext: String

    private enum CodingKeys: String, CodingKey {
        case merchantIdentifier, displayName, initiative, initiativeContext, domainName
    }

    init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: CodingKeys.self)
        merchantIdentifier = try box.decode(String.self, forKey: .merchantIdentifier)
        displayName = try box.decode(String.self, forKey: .displayName)
        if let domain = try box.decodeIfPresent(String.self, forKey: .domainName) {
            // As it was before `initiative` came, on the path that is being phased out.
            initiative = "web"
            initiativeContext = domain
        } else {
            initiative = try box.decode(String.self, forKey: .initiative)
            initiativeContext = try box.decode(String.self, forKey: .initiativeContext)
        }
    }

    /// Reads a body; nil when it is not JSON of this shape.
    init?(_ body: [UInt8]) {
        guard let read = try? JSONDecoder().decode(SessionRequest.self, from: Data(body)) else {
            return nil
        }
        self = read
    }
}
