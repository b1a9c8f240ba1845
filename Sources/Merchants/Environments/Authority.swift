/// The host and the port of a URL: what stands between `//` and the path (RFC 3986 §3.2).
///
/// Stricter than the RFC, because others read the same text after us and differ: libcurl, a proxy, a
/// resolver. So there is one spelling for each thing: no user information, no percent-encoding, no
/// empty port, and an address in numbers only as every reader understands it.
struct Authority: Sendable, Hashable {
    /// In lower case: a name, an IPv4 address, or an IPv6 address in its brackets.
    let host: String
    /// Nil when none is given.
    let port: UInt16?

    /// What is wrong, to be put after "it" as in "it has no host".
    struct Malformed: Error, Equatable {
        let what: String
    }

    /// Reads `host`, `host:port`, `[IPv6]` or `[IPv6]:port`.
    init(_ text: some StringProtocol) throws(Malformed) {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw Malformed(what: "it has a blank, a control character or a letter outside ASCII")
        }
        // Before the rest is looked at: what precedes it is for the reader's eye, not for the wire.
        guard !text.contains("@") else { throw Malformed(what: "it has a user name in it") }
        for mark in "/\\?#" where text.contains(mark) {
            throw Malformed(what: "it has more than a host and a port (\(mark))")
        }
        guard !text.contains("%") else {
            throw Malformed(what: "it has a percent sign in its host")
        }

        let lowered = text.lowercased()
        var rest = Substring(lowered)
        if rest.hasPrefix("[") {
            guard let bracket = rest.firstIndex(of: "]") else {
                throw Malformed(what: "its [ has no ]")
            }
            guard Self.isIPv6(rest[..<bracket].dropFirst()) else {
                throw Malformed(what: "what stands in the brackets is not an IPv6 address")
            }
            host = String(rest[...bracket])
            rest = rest[bracket...].dropFirst()
        } else {
            let name = rest.prefix { $0 != ":" }
            try Self.check(host: name)
            host = String(name)
            rest = rest.dropFirst(name.count)
        }
        if rest.isEmpty {
            port = nil
        } else {
            guard rest.hasPrefix(":") else {
                throw Malformed(what: "something stands between ] and the port")
            }
            port = try Self.port(rest.dropFirst())
        }
    }

    private static func port(_ digits: Substring) throws(Malformed) -> UInt16 {
        guard !digits.contains(":") else {
            throw Malformed(what: "it has two ports, or an IPv6 address without its brackets")
        }
        // Of its own accord UInt16 reads "+80" and "080" too.
        guard !digits.isEmpty, digits.utf8.allSatisfy(isDigit), !digits.hasPrefix("0"),
            let port = UInt16(digits)
        else { throw Malformed(what: "its port is not a number from 1 to 65535") }
        return port
    }
}

// MARK: - Hosts

extension Authority {
    /// A name by RFC 1123 §2.1, or an IPv4 address in its usual form.
    private static func check(host: Substring) throws(Malformed) {
        guard !host.isEmpty else { throw Malformed(what: "it has no host") }
        guard host.utf8.count <= 253 else {
            throw Malformed(what: "its host is longer than 253 characters")
        }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        if labels.last?.isEmpty == true { throw Malformed(what: "its host ends with a dot") }
        for label in labels {
            guard (1...63).contains(label.utf8.count) else {
                throw Malformed(what: "its host has a part of 0 or of more than 63 characters")
            }
            guard label.utf8.allSatisfy({ isDigit($0) || isLetter($0) || $0 == UInt8(ascii: "-") })
            else {
                throw Malformed(what: "its host is not made of letters, digits, hyphens and dots")
            }
            guard !label.hasPrefix("-"), !label.hasSuffix("-") else {
                throw Malformed(what: "its host has a part that begins or ends with a hyphen")
            }
        }
        // inet_aton(3) takes 127.1, 0177.0.0.1, 2130706433 and 0x7f.1 for addresses; no name ends so.
        if let last = labels.last, isNumber(last), !isIPv4(host) {
            throw Malformed(what: "its host looks like an IPv4 address and is not a.b.c.d")
        }
    }

    private static func isNumber(_ label: Substring) -> Bool {
        if label.hasPrefix("0x") { return label.dropFirst(2).utf8.allSatisfy(isHexDigit) }
        return label.utf8.allSatisfy(isDigit)
    }

    /// RFC 3986 `IPv4address`: no leading zeros, which some readers take for octal.
    private static func isIPv4(_ text: Substring) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                (1...3).contains(part.utf8.count) && part.utf8.allSatisfy(isDigit)
                    && (part == "0" || !part.hasPrefix("0")) && UInt8(part) != nil
            }
    }

    /// RFC 3986 `IPv6address`; without a zone, which means nothing on another machine.
    private static func isIPv6(_ text: Substring) -> Bool {
        var groups = text.split(separator: ":", omittingEmptySubsequences: false)
        guard groups.count >= 3 else { return false }
        var size = 0
        if let last = groups.last, last.contains(".") {
            guard isIPv4(last) else { return false }
            // It stands for the last two groups.
            size = 2
            groups.removeLast()
        }
        // An empty group is the "::"; at an end of the text it shows as two.
        let hasGapAtStart = groups.first?.isEmpty == true
        if hasGapAtStart {
            guard groups[1].isEmpty else { return false }
            groups.removeFirst()
        }
        if size == 0, groups.last?.isEmpty == true {
            guard groups.count >= 2, groups[groups.count - 2].isEmpty else { return false }
            groups.removeLast()
        }
        let gaps = groups.count { $0.isEmpty }
        guard gaps <= 1 else { return false }
        for group in groups where !group.isEmpty {
            guard group.utf8.count <= 4, group.utf8.allSatisfy(isHexDigit) else { return false }
        }
        size += groups.count - gaps
        return gaps == 1 ? size <= 7 : size == 8
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
