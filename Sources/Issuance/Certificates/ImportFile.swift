package import Merchants
import PKI
package import Secrets

/// What somebody wants taken in, and what they say about it.
package struct ImportOrder: Sendable {
    /// Which of several certificates in one file are meant.
    package enum Choice: Sendable, Equatable {
        /// The only one; several are refused with their list.
        case only
        case all
        /// Those whose fingerprints begin like this, in hex.
        case picked([String])
    }

    package var file: SecretBytes
    /// The private key, where it is in a file of its own.
    package var keyFile: SecretBytes?
    /// Tried in their order on whatever is encrypted.
    package var passwords: [SecretBytes] = []
    /// Refuse every other kind; a key without its certificate needs it.
    package var kind: CredentialKind?
    /// Who holds the key, where it is not here.
    package var provider: ProviderName?
    package var choice: Choice = .only

    package init(file: SecretBytes) {
        self.file = file
    }
}

/// A certificate with what came along.
struct ImportMaterial: Sendable {
    let certificate: Certificate
    /// Its intermediates from the same file, the issuer first; no roots.
    let others: [Certificate]
    let key: PrivateKey?
}

/// What an import is made of, read from what somebody has and paired by public key.
///
/// Reading derives keys from passwords, which blocks its thread; nothing is judged or stored yet.
package struct ImportFile: Sendable {
    /// The certificates to import; none where the file holds a key alone.
    let materials: [ImportMaterial]
    /// The key, where it is to wait for its certificate.
    let keyAlone: PrivateKey?
    let kind: CredentialKind?
    let provider: ProviderName?
    /// Whether a private key is in the first file; that of ``ImportOrder/keyFile`` always has one.
    package let holdsKey: Bool
    /// Things a person should know.
    let warnings: [ImportWarning]

    /// Reads all files of `order`.
    ///
    /// - Throws: ``PKIError`` for what cannot be read; ``IssuanceError`` where it cannot be told
    ///   what goes with what.
    package init(_ order: ImportOrder) throws {
        let reader = ForeignReader(passwords: order.passwords)
        let contents = try reader.read(order.file)
        var keys = contents.keys.map(\.value)
        var certificates = contents.certificates.map(\.value)
        var warnings = contents.warnings.map { ImportWarning($0) }
        if let keyFile = order.keyFile {
            let more = try reader.read(keyFile)
            guard !more.keys.isEmpty else {
                throw IssuanceError.keyFileIsNoKey(more.description)
            }
            // The same key in both files is one key.
            for item in more.keys
            where !keys.contains(where: { $0.publicKey == item.value.publicKey }) {
                keys.append(item.value)
            }
            certificates += more.certificates.map(\.value).filter { !certificates.contains($0) }
            warnings += more.warnings.map { ImportWarning($0) }
        }
        holdsKey = !contents.keys.isEmpty
        kind = order.kind
        provider = order.provider
        guard !certificates.isEmpty else {
            guard let key = keys.first else {
                throw IssuanceError.noCertificateInFile(contents.description)
            }
            guard keys.count == 1 else { throw IssuanceError.severalKeys(keys.count) }
            guard order.provider == nil else { throw IssuanceError.providerWithKey }
            guard order.kind != nil else { throw IssuanceError.keyWithoutCertificate }
            materials = []
            keyAlone = key
            self.warnings = warnings + Self.warnings(about: [key])
            return
        }
        let chosen = try Self.choose(order.choice, among: certificates, keys: keys)
        let others = certificates
        materials = chosen.map { certificate in
            ImportMaterial(
                certificate: certificate, others: Self.chain(of: certificate, among: others),
                key: keys.first { $0.publicKey == certificate.publicKey })
        }
        let used = keys.filter { key in chosen.contains { $0.publicKey == key.publicKey } }
        if order.provider != nil, !used.isEmpty { throw IssuanceError.providerWithKey }
        // With keys at hand, a certificate that fits none of them is a mistake; unless it was chosen
        // among others, whose they are.
        if used.isEmpty, !keys.isEmpty, order.choice == .only || order.keyFile != nil {
            throw IssuanceError.keyDoesNotFit
        }
        if used.count < keys.count {
            warnings.append(
                ImportWarning(
                    "\(keys.count - used.count) of the private keys in it were not imported: "
                        + "no certificate that was chosen is theirs",
                    hint: "see which fits which: purser inspect FILE"))
        }
        keyAlone = nil
        self.warnings = warnings + Self.warnings(about: used)
    }

    /// The certificates to import: no authority's, and one unless more were asked for.
    private static func choose(
        _ choice: ImportOrder.Choice, among certificates: [Certificate], keys: [PrivateKey]
    ) throws -> [Certificate] {
        let leaves = certificates.filter { !$0.isCA }
        switch choice {
        case .all:
            return leaves.isEmpty ? Array(certificates.prefix(1)) : longestValid(leaves)
        case .picked(let prefixes):
            let picked = try prefixes.map { prefix in
                let wanted = prefix.lowercased().filter { $0 != ":" }
                let found = certificates.filter { $0.sha256.hasPrefix(wanted) }
                guard wanted.count >= 8, let only = found.first, found.count == 1 else {
                    throw IssuanceError.nothingPicked(String(prefix.prefix(16)))
                }
                return only
            }
            return longestValid(picked)
        case .only:
            // One key among several certificates says which one is meant.
            let fitting = certificates.filter { certificate in
                keys.contains { $0.publicKey == certificate.publicKey }
            }
            let candidates = keys.count == 1 && !fitting.isEmpty ? fitting : leaves
            guard candidates.count <= 1 else {
                throw IssuanceError.severalCertificates(candidates.map(\.sha256))
            }
            // Without a leaf the examination says that this is an authority's certificate.
            return candidates.isEmpty ? Array(certificates.prefix(1)) : candidates
        }
    }

    /// Of several certificates of one sort for one key, the one that will be in use.
    private static func longestValid(_ certificates: [Certificate]) -> [Certificate] {
        var latest: [Certificate] = []
        for certificate in certificates {
            let isIdentity = certificate.extensionValue(OID.appleMerchantIdentity) != nil
            let rival = latest.firstIndex {
                $0.publicKey == certificate.publicKey
                    && ($0.extensionValue(OID.appleMerchantIdentity) != nil) == isIdentity
            }
            if let rival {
                if latest[rival].notAfter < certificate.notAfter { latest[rival] = certificate }
            } else {
                latest.append(certificate)
            }
        }
        return latest
    }

    /// From the issuer of `certificate` upwards, as far as the file goes, without the root.
    private static func chain(
        of certificate: Certificate, among all: [Certificate]
    ) -> [Certificate] {
        var chain: [Certificate] = []
        var last = certificate
        while let issuer = issuer(of: last, among: all), !issuer.isSelfSigned,
            !chain.contains(issuer), issuer != certificate
        {
            chain.append(issuer)
            last = issuer
        }
        return chain
    }

    /// The authority of that name; of several, the one whose key identifier is named too.
    private static func issuer(of certificate: Certificate, among all: [Certificate])
        -> Certificate?
    {
        let named = all.filter { $0.isCA && $0.subject == certificate.issuer }
        guard let wanted = certificate.extensionValue(OID.authorityKeyIdentifier) else {
            return named.first
        }
        return named.first { authority in
            // An OCTET STRING, whose bytes stand in the other extension as its first field.
            guard let own = authority.extensionValue(OID.subjectKeyIdentifier), own.count > 2 else {
                return false
            }
            return wanted.dropFirst(4).starts(with: own.dropFirst(2))
        } ?? named.first
    }

    private static func warnings(about keys: [PrivateKey]) -> [ImportWarning] {
        keys.compactMap { key in
            WellKnownKeys.source(of: key.publicKey).map {
                ImportWarning(
                    "its private key is public: anybody finds it in \($0)",
                    hint: "make a new one: purser certificate request MERCHANT KIND")
            }
        }
    }
}
