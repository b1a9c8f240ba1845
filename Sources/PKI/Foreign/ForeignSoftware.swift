/// Software that people hand such files to, and what each refuses, as far as algorithms tell.
///
/// A table and nothing else: no program is asked. Sources: OpenSSL's CHANGES (PBMAC1 from 3.4; RC2,
/// RC4 and single DES moved to the legacy provider in 3.0); JDK-8076190 (PBES2 and SHA-256 codes in
/// keystores, and its backport 8u301); the package comment of golang.org/x/crypto/pkcs12; .NET's
/// notes on PFX import (KB5025823: 600,000 iterations).
package enum ForeignSoftware: String, CaseIterable, Sendable {
    case openSSL1 = "OpenSSL 1.1"
    case openSSL3 = "OpenSSL 3 without its legacy provider"
    case keychain = "macOS Keychain (older versions)"
    case java8 = "Java 8 before 8u301"
    case java17 = "Java 17"
    case go = "Go (x/crypto/pkcs12)"
    case dotNet = ".NET"

    /// What in a file makes this software refuse it; empty where nothing is known to.
    ///
    /// `isBundle`: it is a PKCS#12 file. For keys alone only OpenSSL's answer is known.
    package func refusals(of protections: [ForeignProtection], isBundle: Bool) -> [String] {
        guard isBundle || self == .openSSL1 || self == .openSSL3 else { return [] }
        var reasons: [String] = []
        for protection in protections where refuses(protection) {
            reasons.append(protection.description)
        }
        let total = protections.reduce(0) { $0 + $1.iterations }
        if self == .dotNet, total > 600_000 { reasons.append("\(total) iterations in all") }
        return reasons
    }

    private func refuses(_ protection: ForeignProtection) -> Bool {
        switch self {
        case .openSSL1: protection.isPBMAC1
        case .openSSL3: protection.needsLegacy || protection.isPBMAC1
        case .keychain, .java8:
            protection.isPBMAC1 || protection.isPBES2
                || protection.codeDigest.map { $0 != "SHA1" }
                    ?? (self == .keychain && protection.method == .noCode)
        case .java17:
            protection.isPBMAC1 || protection.isPBES2(outside: Self.aes + ["DES-EDE3-CBC"])
        case .go:
            // It was frozen before PBES2, and knows two schemes and one code.
            switch protection.method {
            case .scheme(let name):
                name != "pbeWithSHA1And3-KeyTripleDES-CBC" && name != "pbeWithSHA1And40BitRC2-CBC"
            case .code(let digest): digest != "SHA1"
            case .pbes2, .pem, .pbmac1, .noCode: true
            }
        case .dotNet:
            protection.isPBMAC1 || protection.isPBES2(outside: Self.aes + ["DES-EDE3-CBC"])
                || protection.schemeName?.contains("RC4") ?? false
        }
    }

    private static let aes = ["AES-128-CBC", "AES-192-CBC", "AES-256-CBC"]
}

extension ForeignProtection {
    fileprivate var isPBMAC1: Bool { if case .pbmac1 = method { true } else { false } }

    fileprivate var isPBES2: Bool { if case .pbes2 = method { true } else { false } }

    fileprivate func isPBES2(outside ciphers: [String]) -> Bool {
        guard case .pbes2(let cipher, let derivation) = method else { return false }
        return !ciphers.contains(cipher) || derivation == "scrypt"
    }

    fileprivate var codeDigest: String? {
        if case .code(let digest) = method { digest } else { nil }
    }

    fileprivate var schemeName: String? {
        if case .scheme(let name) = method { name } else { nil }
    }
}
