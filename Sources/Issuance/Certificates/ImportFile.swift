import PKI
import Secrets

/// A certificate with what came along, read from what somebody has.
///
/// This version takes certificates in DER or PEM, and a private key in PEM, in the same file or in
/// one of its own. Everything else is told what it is.
struct ImportFile: Sendable {
    /// The certificate to import.
    let certificate: Certificate
    /// Others from the same file: perhaps its intermediates.
    let others: [Certificate]
    let key: PrivateKey?

    /// The most bytes that a file may have.
    static let sizeLimit = 1 << 20

    /// Reads `file` and, where given, `keyFile`.
    ///
    /// - Throws: ``IssuanceError`` with the shape of what it cannot take, ``PKIError`` for keys.
    init(_ file: SecretBytes, keyFile: SecretBytes?) throws {
        let contents = try Self.contents(of: file)
        var keys = contents.keys
        if let keyFile { keys.append(try Self.key(in: keyFile)) }
        // The same key in both files is one key.
        var distinct: [PrivateKey] = []
        for key in keys where !distinct.contains(where: { $0.publicKey == key.publicKey }) {
            distinct.append(key)
        }
        guard distinct.count <= 1 else { throw IssuanceError.severalKeys(distinct.count) }
        key = distinct.first
        certificate = try Self.choose(among: contents.certificates, key: key)
        let chosen = certificate
        others = contents.certificates.filter { $0 != chosen }
    }

    /// The one certificate that is no authority's; with a key, the one that fits it.
    private static func choose(
        among certificates: [Certificate], key: PrivateKey?
    ) throws -> Certificate {
        guard let first = certificates.first else { throw IssuanceError.keyWithoutCertificate }
        let leaves = certificates.filter { !$0.isCA }
        if let key {
            if let fitting = certificates.first(where: { $0.publicKey == key.publicKey }) {
                return fitting
            }
            throw IssuanceError.keyDoesNotFit
        }
        guard leaves.count <= 1 else { throw IssuanceError.severalCertificates(leaves.count) }
        // Without a leaf the examination says that this is an authority's certificate.
        return leaves.first ?? first
    }

    private static func contents(
        of file: SecretBytes
    ) throws -> (certificates: [Certificate], keys: [PrivateKey]) {
        let bytes = file.withUnsafeBytes { Array($0) }
        let shape = ForeignShape.recognise(bytes)
        switch shape {
        case .certificate:
            guard let certificate = try? Certificate(der: bytes) else {
                throw IssuanceError.certificateDamaged
            }
            return ([certificate], [])
        case .pem:
            return try blocks(of: file)
        case .truncatedDER, .damagedPEM:
            throw IssuanceError.truncated(shape.description)
        default:
            throw IssuanceError.wrongShape(shape.description)
        }
    }

    private static func blocks(
        of file: SecretBytes
    ) throws -> (certificates: [Certificate], keys: [PrivateKey]) {
        var certificates: [Certificate] = []
        var keys: [PrivateKey] = []
        for block in try PEMDocument(file).blocks {
            switch block.label {
            case "CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE":
                guard
                    let certificate = try? Certificate(
                        der: block.contents.withUnsafeBytes { Array($0) })
                else { throw IssuanceError.certificateDamaged }
                if !certificates.contains(certificate) { certificates.append(certificate) }
            case "PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY":
                keys.append(try PrivateKey(pem: file))
            case "EC PARAMETERS":
                // openssl ecparam -genkey writes it before the key; the key repeats the curve.
                continue
            default:
                throw IssuanceError.wrongShape(
                    ForeignShape.pem(labels: [block.label]).description)
            }
        }
        return (certificates, keys)
    }

    private static func key(in file: SecretBytes) throws -> PrivateKey {
        let shape = file.withUnsafeBytes { ForeignShape.recognise(Array($0)) }
        guard case .pem(let labels) = shape, labels.contains(where: { $0.hasSuffix("PRIVATE KEY") })
        else { throw IssuanceError.keyFileIsNoKey(shape.description) }
        return try PrivateKey(pem: file)
    }
}
