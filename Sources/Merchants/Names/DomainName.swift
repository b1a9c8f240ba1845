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
        guard !given.isEmpty else { throw .badDomain("it is empty", use: nil) }
        guard given.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F }) else {
            throw .badDomain("it has a blank or a control character", use: nil)
        }
        guard given.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw .badDomain("it has letters outside ASCII", use: "its xn-- form")
        }
        try Self.refuseURLParts(in: given)

        var name = given.lowercased()
        if name.hasSuffix(".") { name.removeLast() }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard name.utf8.count <= 253 else {
            throw .badDomain("it is longer than 253 characters", use: nil)
        }
        guard labels.count >= 2 else {
            throw .badDomain("it is not fully qualified", use: nil)
        }
        for label in labels { try Self.check(label: label) }
        if let last = labels.last, last.utf8.allSatisfy(Self.isDigit) {
            throw .badDomain("it is an address, not a name", use: nil)
        }
        text = name
    }

    private static func refuseURLParts(in given: String) throws(MerchantsError) {
        if let scheme = given.range(of: "://") {
            let rest = given[scheme.upperBound...]
            let host = rest.prefix { !"/?#:".contains($0) }
            throw .badDomain("it has a scheme", use: host.isEmpty ? nil : String(host))
        }
        if given.contains("@") { throw .badDomain("it has user information", use: nil) }
        if given.contains("[") || given.contains("]") {
            throw .badDomain("it is an address, not a name", use: nil)
        }
        for (mark, what) in [
            ("/", "a path"), ("\\", "a backslash"), ("?", "a query"), ("#", "a fragment"),
            (":", "a port"),
        ] {
            if let cut = given.range(of: mark) {
                let host = String(given[..<cut.lowerBound])
                throw .badDomain("it has \(what)", use: host.isEmpty ? nil : host)
            }
        }
        if given.contains("*") {
            throw .badDomain("it is a wildcard; Apple registers exact names only", use: nil)
        }
    }

    private static func check(label: Substring) throws(MerchantsError) {
        guard !label.isEmpty else { throw .badDomain("it has an empty label", use: nil) }
        guard label.utf8.count <= 63 else {
            throw .badDomain("it has a label of more than 63 characters", use: nil)
        }
        guard label.utf8.first != UInt8(ascii: "-"), label.utf8.last != UInt8(ascii: "-") else {
            throw .badDomain("it has a label that begins or ends with a hyphen", use: nil)
        }
        let isAllowed: (UInt8) -> Bool = {
            ($0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z")) || isDigit($0)
                || $0 == UInt8(ascii: "-")
        }
        guard label.utf8.allSatisfy(isAllowed) else {
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

extension String {
    /// The first place of `needle`, without Foundation.
    fileprivate func range(of needle: String) -> Range<String.Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(needle) {
                return start..<index(start, offsetBy: needle.count)
            }
            start = index(after: start)
        }
        return nil
    }
}
