/// A certificate's subject or issuer: attributes in the order in which they are encoded.
package struct DistinguishedName: Hashable, Sendable {
    /// One attribute and its text.
    package struct Attribute: Hashable, Sendable {
        /// Dotted, such as ``OID/commonName``.
        package let oid: String
        /// The value as text; `#` and hex of its DER where it is no character string.
        package let text: String
        /// Whether it stands in one set with the attribute before it (a multi-valued RDN).
        package let joinsPrevious: Bool

        package init(_ oid: String, _ text: String, joinsPrevious: Bool = false) {
            self.oid = oid
            self.text = text
            self.joinsPrevious = joinsPrevious
        }
    }

    package let attributes: [Attribute]

    /// A name of these attributes; whether they can be encoded shows when it is used.
    package init(_ attributes: [Attribute]) {
        self.attributes = attributes
    }

    /// A name of the usual attributes, in the order in which Apple writes them; nil leaves one out.
    package init(
        userID: String? = nil, commonName: String, organizationalUnit: String? = nil,
        organization: String? = nil, country: String? = nil
    ) {
        let given = [
            (OID.userID, userID), (OID.commonName, commonName),
            (OID.organizationalUnit, organizationalUnit), (OID.organization, organization),
            (OID.country, country),
        ]
        attributes = given.compactMap { oid, text in text.map { Attribute(oid, $0) } }
    }

    /// The text of the first attribute `oid`, or nil.
    package func first(_ oid: String) -> String? {
        attributes.first { $0.oid == oid }?.text
    }

    /// The texts of all attributes `oid`, in order.
    package func all(_ oid: String) -> [String] {
        attributes.filter { $0.oid == oid }.map(\.text)
    }

    /// UID: the merchant identifier in Apple's certificates.
    package var userID: String? { first(OID.userID) }
    package var commonName: String? { first(OID.commonName) }
    /// OU: the team identifier in Apple's certificates.
    package var organizationalUnit: String? { first(OID.organizationalUnit) }
    package var organization: String? { first(OID.organization) }
    package var country: String? { first(OID.country) }
}

// MARK: - RFC 4514

extension DistinguishedName: CustomStringConvertible {
    package var description: String { rfc4514 }

    /// One line, most specific attribute first, such as `C=US,O=Example,CN=shop`.
    ///
    /// As RFC 4514, except that attributes without a short name print their text rather than
    /// their encoding in hex, because this is for reading.
    package var rfc4514: String {
        var sets: [[Attribute]] = []
        for attribute in attributes {
            if attribute.joinsPrevious, !sets.isEmpty {
                sets[sets.count - 1].append(attribute)
            } else {
                sets.append([attribute])
            }
        }
        return sets.reversed().map { set in
            set.map { "\(Self.shortName($0.oid))=\(Self.escaped($0.text))" }.joined(separator: "+")
        }.joined(separator: ",")
    }

    private static func shortName(_ oid: String) -> String {
        switch oid {
        case OID.commonName: "CN"
        case OID.country: "C"
        case OID.locality: "L"
        case OID.state: "ST"
        case OID.organization: "O"
        case OID.organizationalUnit: "OU"
        case OID.userID: "UID"
        case "2.5.4.9": "STREET"
        case "2.5.4.5": "serialNumber"
        case "0.9.2342.19200300.100.1.25": "DC"
        case "1.2.840.113549.1.9.1": "emailAddress"
        default: oid
        }
    }

    // RFC 4514 §2.4, and control characters in hex so that nothing can break the line.
    private static func escaped(_ text: String) -> String {
        var result = ""
        let scalars = Array(text.unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            let isFirst = index == 0
            let isLast = index == scalars.count - 1
            switch scalar {
            case "\"", "+", ",", ";", "<", ">", "\\":
                result += "\\\(scalar)"
            case " " where isFirst || isLast, "#" where isFirst:
                result += "\\\(scalar)"
            case _
            where scalar.properties.generalCategory == .control
                || scalar.properties.generalCategory == .format:
                result += scalar.utf8.map { "\\" + Hexadecimal.uppercase([$0]) }.joined()
            default:
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
