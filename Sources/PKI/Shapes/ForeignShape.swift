/// What a file is, told by its content and never by its name, so that a refusal can say so.
///
/// A recognised shape is not a valid one: the readers of each have the last word.
package enum ForeignShape: Hashable, Sendable {
    case empty
    /// DER of an X.509 certificate.
    case certificate
    /// DER of a PKCS#10 request.
    case request
    /// DER of PKCS#8, PKCS#1 or SEC 1.
    case privateKey(encrypted: Bool)
    /// DER of a SubjectPublicKeyInfo.
    case publicKey
    /// Intact PEM; the blocks' labels in their order, a key's as
    /// `ENCRYPTED PRIVATE KEY` also where a header says so.
    case pem(labels: [String])
    /// PEM that breaks off or holds something else than base64; `what` is for an error message.
    case damagedPEM(what: String)
    case pkcs12
    /// PKCS#7 or CMS, DER or BER.
    case pkcs7
    /// JKS or JCEKS.
    case javaKeystore
    /// DER whose length says that `missing` more bytes should follow.
    case truncatedDER(missing: Int)
    /// OpenSSH's own private key, or a public key line.
    case openSSHKey
    /// PGP, armoured or binary.
    case pgp
    case html
    /// Other text.
    case text
    case unknown

    /// The labels of PEM blocks that hold a request.
    package static let requestLabels: Set<String> = [
        "CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST",
    ]
}

extension ForeignShape: CustomStringConvertible {
    /// With its article, to follow "this is": such as `a PKCS#12 file`.
    package var description: String {
        switch self {
        case .empty: "an empty file"
        case .certificate: "a certificate (DER)"
        case .request: "a certificate signing request (DER)"
        case .privateKey(encrypted: false): "a private key (DER)"
        case .privateKey(encrypted: true): "an encrypted private key (DER)"
        case .publicKey: "a public key (DER)"
        case .pem(let labels): Self.describe(labels)
        case .damagedPEM(let what): "a damaged PEM file: \(what)"
        case .pkcs12: "a PKCS#12 file (.p12, .pfx)"
        case .pkcs7: "a PKCS#7 file (.p7b, .p7s)"
        case .javaKeystore: "a Java keystore (JKS)"
        case .truncatedDER(let missing): "a DER file that was cut off; \(missing) bytes are missing"
        case .openSSHKey: "an OpenSSH key"
        case .pgp: "a PGP file"
        case .html: "a web page"
        case .text: "a text file"
        case .unknown: "a file of an unknown sort"
        }
    }

    /// What to do with one that is not read here.
    var remedy: String {
        switch self {
        case .javaKeystore:
            "convert it: keytool -importkeystore -srckeystore FILE -destkeystore key.p12 "
                + "-deststoretype PKCS12"
        case .openSSHKey:
            "convert a copy of a private one: ssh-keygen -p -m PKCS8 -f FILE"
        case .pgp: "decrypt it first: gpg --decrypt FILE"
        case .html: "download it again while logged in; a page was saved instead of the file"
        case .empty: "fetch the file again"
        default: "give a PEM, DER, PKCS#7 or PKCS#12 file"
        }
    }

    private static func describe(_ labels: [String]) -> String {
        let shown = labels.prefix(3).map { label in
            // A label is somebody else's text: only what labels are made of is repeated.
            String(
                label.unicodeScalars.filter { $0.isASCII && $0.value >= 0x20 }.prefix(30).map {
                    Character($0)
                })
        }
        let more = labels.count > 3 ? " and \(labels.count - 3) more" : ""
        return "a PEM file with \(shown.joined(separator: ", "))\(more)"
    }
}
