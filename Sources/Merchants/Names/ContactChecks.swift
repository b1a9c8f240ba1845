/// Checks Apple's team identifier: ten upper-case letters and digits.
///
/// - Throws: ``MerchantsError/badTeam(_:)``.
package func checkTeam(_ text: String) throws(MerchantsError) -> String {
    let isFine =
        text.utf8.count == 10
        && text.utf8.allSatisfy {
            ($0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z"))
                || ($0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9"))
        }
    guard isFine else { throw .badTeam(text) }
    return text
}

/// Checks that `text` can be a mail address: `local@domain`, visible ASCII, nothing that could end
/// a header line (RFC 5321 §4.1.2, without quoted local parts).
///
/// - Throws: ``MerchantsError/badMailAddress(_:)``.
package func checkMailAddress(_ text: String) throws(MerchantsError) -> String {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    let isVisible = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    guard parts.count == 2, isVisible, !parts[0].isEmpty, parts[0].utf8.count <= 64,
        text.utf8.count <= 254, !text.contains(where: { "<>()[],;:\\\"".contains($0) }),
        (try? DomainName(String(parts[1]))) != nil
    else { throw .badMailAddress(text) }
    return text
}
