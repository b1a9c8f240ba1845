/// A web shop's fully qualified domain name in the one form that is stored and compared:
/// lower-case A-labels without a final dot (RFC 5891; Apple's `initiativeContext`).
///
/// It refuses a scheme, port, path, user information, wildcard, address literal, control
/// characters, over-long labels and non-ASCII text, each with what to write instead.
package struct DomainName: Sendable, Hashable, Comparable, CustomStringConvertible {
    package let text: String

    /// Brings `given` into the canonical form.
    ///
    /// - Throws: ``MerchantsError/badDomain(_:use:)`` with what is wrong and, where it can be told,
    ///   the right spelling.
    package init(_ given: String) throws(MerchantsError) {
        // What each order of the checkout has, in one pass; the rest below is for telling what is
        // wrong with the others, or setting it right.
        if Self.isCanonical(given) {
            text = given
            return
        }
        guard !given.isEmpty else { throw .badDomain("it is empty", use: nil) }
        guard given.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw .badDomain("it has a blank or a control character", use: nil)
        }
        try Self.refuseURLParts(in: given)
        guard given.utf8.allSatisfy({ $0 < 0x80 }) else { throw Self.refusal(ofLetters: given) }

        var name = given.lowercased()
        if name.utf8.last == UInt8(ascii: ".") { name.removeLast() }
        let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard name.utf8.count <= 253 else {
            throw .badDomain("it is longer than 253 characters", use: nil)
        }
        guard labels.count >= 2 else {
            throw .badDomain("it is not fully qualified", use: nil)
        }
        for label in labels { try Self.check(label: label) }
        if let last = labels.last, last.allSatisfy(Self.isDigit) {
            throw .badDomain("it is an address, not a name", use: nil)
        }
        text = name
    }

    /// Whether it is in the canonical form already: what follows lets it pass unchanged.
    private static func isCanonical(_ given: String) -> Bool {
        guard given.utf8.count <= 253 else { return false }
        var labels = 1
        var length = 0
        var last = UInt8(ascii: ".")
        var hasLetter = false
        for byte in given.utf8 {
            if byte == UInt8(ascii: ".") {
                guard length > 0, last != UInt8(ascii: "-") else { return false }
                labels += 1
                length = 0
                hasLetter = false
            } else {
                let isLetter = byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
                let isHyphen = byte == UInt8(ascii: "-")
                guard isLetter || isDigit(byte) || (isHyphen && length > 0) else { return false }
                length += 1
                guard length <= 63 else { return false }
                // As the last label's check: digits alone make an address.
                if !isDigit(byte) { hasLetter = true }
            }
            last = byte
        }
        return labels >= 2 && length > 0 && last != UInt8(ascii: "-") && hasLetter
    }

    /// Says which part of a URL there is, and what the host beside it is.
    private static func refuseURLParts(in given: String) throws(MerchantsError) {
        let bytes = given.utf8
        guard let cut = bytes.firstIndex(where: isURLMark) else { return }
        if bytes.contains(UInt8(ascii: "@")) {
            throw .badDomain("it has user information", use: nil)
        }
        var host = given[..<cut]
        let what: String
        switch bytes[cut] {
        case UInt8(ascii: ":") where given[cut...].hasPrefix("://"):
            what = "a scheme"
            host = given[cut...].dropFirst(3).prefix { !"/?#:".contains($0) }
        case UInt8(ascii: ":"): what = "a port"
        case UInt8(ascii: "/"): what = "a path"
        case UInt8(ascii: "\\"): what = "a backslash"
        case UInt8(ascii: "?"): what = "a query"
        case UInt8(ascii: "#"): what = "a fragment"
        case UInt8(ascii: "*"):
            throw .badDomain("it is a wildcard; Apple registers exact names only", use: nil)
        default:
            throw .badDomain("it is an address, not a name", use: nil)
        }
        throw .badDomain("it has \(what)", use: spelling(of: String(host)))
    }

    /// What to write instead of a host, where that can be told.
    private static func spelling(of host: String) -> String? {
        let spelling = Punycode.asciiName(of: host)
        guard !host.isEmpty, host.utf8.contains(where: { $0 >= 0x80 }) else {
            return host.isEmpty ? nil : host
        }
        return spelling.flatMap { (try? DomainName($0))?.text }
    }

    /// What is outside ASCII, and the name's A-labels where they can be told.
    private static func refusal(ofLetters given: String) -> MerchantsError {
        let isHidden = given.unicodeScalars.contains { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator,
                .privateUse, .unassigned, .surrogate:
                true
            default: false
            }
        }
        if isHidden { return .badDomain("it has a blank or an invisible character", use: nil) }
        return .badDomain(
            "it has letters outside ASCII", use: spelling(of: given) ?? "its xn-- form")
    }

    private static func isURLMark(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ":"), UInt8(ascii: "/"), UInt8(ascii: "\\"), UInt8(ascii: "?"),
            UInt8(ascii: "#"), UInt8(ascii: "@"), UInt8(ascii: "["), UInt8(ascii: "]"),
            UInt8(ascii: "*"):
            true
        default:
            false
        }
    }

    private static func check(label: Substring.UTF8View) throws(MerchantsError) {
        guard !label.isEmpty else { throw .badDomain("it has an empty label", use: nil) }
        guard label.count <= 63 else {
            throw .badDomain("it has a label of more than 63 characters", use: nil)
        }
        guard label.first != UInt8(ascii: "-"), label.last != UInt8(ascii: "-") else {
            throw .badDomain("it has a label that begins or ends with a hyphen", use: nil)
        }
        let isAllowed: (UInt8) -> Bool = {
            ($0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z")) || isDigit($0)
                || $0 == UInt8(ascii: "-")
        }
        guard label.allSatisfy(isAllowed) else {
            throw .badDomain("it has a character other than letters, digits and hyphens", use: nil)
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    package static func < (one: DomainName, other: DomainName) -> Bool {
        one.text < other.text
    }

    package var description: String { text }
}
