/// Everything that was found in bytes of unknown origin, each with where and how it was kept.
///
/// Nothing in it is trusted: a key was proven against its public half, and that is all.
package struct ForeignContents: Sendable {
    /// One thing that was found.
    package struct Item<Value: Sendable>: Sendable {
        package let value: Value
        /// For people: `block 2`, or `bag 3 of the PKCS#12 file`.
        package let place: String
        /// The name that a PKCS#12 file gives it; somebody else's text.
        package let name: String?
        /// How it was encrypted; nil for what lay open.
        package let protection: ForeignProtection?
    }

    /// Something that could not be read, and where.
    package struct Problem: Sendable, Equatable {
        package let place: String
        package let error: PKIError
    }

    /// What the whole is, such as `a PKCS#12 file (.p12, .pfx)`.
    package internal(set) var description: String
    /// In their order, each key once.
    package internal(set) var keys: [Item<PrivateKey>] = []
    /// In their order, each certificate once.
    package internal(set) var certificates: [Item<Certificate>] = []
    package internal(set) var requests: [Item<CertificateSigningRequest>] = []
    package internal(set) var publicKeys: [Item<PublicKey>] = []
    /// Every encryption and every code over a file, whether it could be opened or not.
    package internal(set) var protections: [ForeignProtection] = []
    package internal(set) var problems: [Problem] = []
    /// Things a person should know, each one sentence without its full stop.
    package internal(set) var warnings: [String] = []
    /// How much derivation was paid for; never more than the reader's limit.
    package internal(set) var iterationsSpent = 0

    /// Whether a PKCS#12 file is in it, opened or not.
    package internal(set) var holdsBundle = false

    /// Whether nothing at all was found.
    package var isEmpty: Bool {
        keys.isEmpty && certificates.isEmpty && requests.isEmpty && publicKeys.isEmpty
    }

    var count: Int { keys.count + certificates.count + requests.count + publicKeys.count }

    mutating func warn(_ text: String) {
        if !warnings.contains(text) { warnings.append(text) }
    }

    mutating func note(_ protection: ForeignProtection) {
        if !protections.contains(protection) { protections.append(protection) }
    }
}
