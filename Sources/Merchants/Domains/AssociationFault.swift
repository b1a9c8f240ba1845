package import Problems

/// Why a file is not an association file of Apple's for this domain and merchant.
package enum AssociationFault: Explained, Equatable {
    case empty
    case tooLarge
    /// It is neither base64url nor hexadecimal.
    case notEncoded
    /// What is inside is not a signed message, or its JSON is not what Apple writes.
    case damaged(_ what: String)
    /// Its signature is not over what it says.
    case signatureWrong
    /// The signature is good, and not by Apple.
    case notApples(realm: RealmName)
    case otherDomain(_ found: String, wanted: DomainName)
    case otherTeam(_ found: String, wanted: [String])

    package var code: String {
        switch self {
        case .empty: "association.empty"
        case .tooLarge: "association.too-large"
        case .notEncoded: "association.not-encoded"
        case .damaged: "association.damaged"
        case .signatureWrong: "association.signature-wrong"
        case .notApples: "association.not-by-apple"
        case .otherDomain: "association.other-domain"
        case .otherTeam: "association.other-team"
        }
    }

    package var summary: String {
        switch self {
        case .empty: "the association file is empty"
        case .tooLarge:
            "this is no association file: it is larger than \(AssociationFacts.sizeLimit) bytes"
        case .notEncoded: "this is no association file: it is neither base64url nor hexadecimal"
        case .damaged(let what): "the association file is damaged: \(what)"
        case .signatureWrong: "the association file was changed: its signature does not verify"
        case .notApples(let realm):
            "the association file is not signed under a root of realm \(realm)"
        case .otherDomain(let found, _):
            found.isEmpty
                ? "the association file names no domain"
                : "the association file is for the domain \(shown(found))"
        case .otherTeam(let found, let wanted):
            "the association file is for team \(shown(found)), the merchant is of "
                + wanted.prefix(3).joined(separator: ", ")
        }
    }

    package var remedy: String {
        switch self {
        case .empty, .notEncoded, .damaged, .signatureWrong:
            "download it again, and give it as it came: no editor, no line added"
        case .tooLarge: "check that it is the right file"
        case .notApples: "download it from Apple; in a realm of your own, trust who signed it"
        case .otherDomain(_, let wanted):
            "download the file for \(wanted): Apple makes one for each domain, www is another"
        case .otherTeam: "use the portal of the right team, or: purser merchant set ID --team TEAM"
        }
    }

    package var nature: Nature { .badData }

    package static var examples: [AssociationFault] {
        guard let domain = try? DomainName("shop.example.com") else { return [] }
        return [
            .empty, .tooLarge, .notEncoded, .damaged("there is no teamId"), .signatureWrong,
            .notApples(realm: .apple), .otherDomain("www.example.com", wanted: domain),
            .otherDomain("", wanted: domain), .otherTeam("TEAM000002", wanted: ["TEAM000001"]),
        ]
    }
}

/// Somebody else's text, fit for a message.
private func shown(_ text: String) -> String {
    String(
        text.unicodeScalars.prefix(48).map {
            $0.isASCII && $0.value > 0x20 && $0.value != 0x7F ? Character($0) : "?"
        })
}
