/// The three roots of Apple's own authorities, pinned by fingerprint.
///
/// No other root is ever trusted in realm `apple`. Intermediates are not pinned: Apple replaces
/// them, and each verifies to one of these ("Apple PKI", apple.com/certificateauthority).
package enum AppleRoot: String, Sendable, Hashable, CaseIterable {
    /// RSA: over the merchant identity certificates.
    case rsa = "Apple Root CA"
    case g2 = "Apple Root CA - G2"
    /// EC: over the payment processing certificates, the payment tokens and the sessions.
    case g3 = "Apple Root CA - G3"

    /// SHA-256 of the DER, 64 lower-case hex digits.
    package var fingerprint: String {
        switch self {
        case .rsa: "b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024"
        case .g2: "c2b9b042dd57830e7d117dac55ac8ae19407d38e41d88f3215bc3a890444a050"
        case .g3: "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179"
        }
    }

    /// The root of this fingerprint; nil for every other certificate.
    package init?(fingerprint: String) {
        guard let root = Self.allCases.first(where: { $0.fingerprint == fingerprint }) else {
            return nil
        }
        self = root
    }

    /// The path of its file below `https://www.apple.com`.
    package var path: String {
        switch self {
        case .rsa: "/appleca/AppleIncRootCertificate.cer"
        case .g2: "/certificateauthority/AppleRootCA-G2.cer"
        case .g3: "/certificateauthority/AppleRootCA-G3.cer"
        }
    }

    /// The name of that file.
    package var fileName: String { String(path.split(separator: "/").last ?? "") }

    /// The files of the intermediates that Apple Pay's certificates and signatures come from, below
    /// `https://www.apple.com`: whatever is in them counts only as it verifies to a root.
    package static let intermediatePaths = [
        "/certificateauthority/AppleWWDRCAG3.cer", "/certificateauthority/AppleWWDRCAG2.cer",
        "/certificateauthority/AppleAAICAG3.cer",
    ]
}
