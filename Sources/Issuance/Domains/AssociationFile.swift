import Clocks
import FoundationEssentials
package import Merchants
package import PKI

/// Apple's domain association file, opened: what it says, and by whom it is signed.
///
/// The portal form is base64url of a signed message (CMS) with JSON inside. The platform form is
/// hexadecimal of JSON, with a signature over three of its fields. Line ends and blanks between
/// digits are passed over, as Apple's own files have them; the bytes that are kept and served are
/// those that were read, to the last line end.
package struct AssociationFile: Sendable {
    /// As it came.
    package let bytes: [UInt8]
    package let facts: AssociationFacts
    private let signature: CMS.Signed

    /// Reads it, and checks that its signature is over what it says; by whom, ``verify(with:realm:)``
    /// tells.
    ///
    /// - Throws: ``AssociationFault``.
    package init(_ bytes: [UInt8]) throws(AssociationFault) {
        guard bytes.count <= AssociationFacts.sizeLimit else { throw .tooLarge }
        let text = String(decoding: bytes.lazy.filter { !Self.isBlank($0) }, as: UTF8.self)
        guard !text.isEmpty else { throw .empty }
        self.bytes = bytes
        // A signed message in base64 begins with M, and no JSON object in hexadecimal does.
        if let plain = Hexadecimal.decode(text) {
            (facts, signature) = try Self.platform(plain)
        } else if let message = Base64.decodeURL(text.drop(padding: 2)) {
            (facts, signature) = try Self.portal(message)
        } else {
            throw Self.isMeant(bytes) ? .damaged("its text was cut off or changed") : .notEncoded
        }
    }

    /// What these bytes are as an association file; nil for what is none, however damaged.
    package static func recognise(_ bytes: [UInt8]) -> Result<AssociationFile, AssociationFault>? {
        do throws(AssociationFault) {
            return .success(try AssociationFile(bytes))
        } catch {
            return isMeant(bytes) ? .failure(error) : nil
        }
    }

    /// Whether something in them is as in Apple's, and in nothing else that anybody inspects.
    private static func isMeant(_ bytes: [UInt8]) -> Bool {
        guard bytes.count <= AssociationFacts.sizeLimit else { return false }
        let text = String(decoding: bytes.lazy.filter { !isBlank($0) }, as: UTF8.self)
        // `{"pspId` in hexadecimal; `teamId` in base64, from each of three places in a group.
        let isPlatform = text.uppercased().hasPrefix("7B227073704964")
        let isPortal = ["dGVhbUlk", "RlYW1JZ", "0ZWFtSW"].contains { text.contains($0) }
        return isPlatform || (isPortal && text.hasPrefix("M"))
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x0A || byte == 0x0D || byte == 0x20 || byte == 0x09
    }

    private static func portal(
        _ message: [UInt8]
    ) throws(AssociationFault) -> (AssociationFacts, CMS.Signed) {
        struct Document: Decodable {
            var teamId: String
            var domain: String
            var dateCreated: String?
            var version: Int
        }
        let signed: (signed: CMS.Signed, content: [UInt8])
        do throws(PKIError) {
            signed = try CMS.verifyAttached(message)
        } catch {
            throw fault(error)
        }
        let document: Document = try decode(signed.content)
        // `dateCreated` was written in several ways over the years; the signature has the moment.
        let facts = AssociationFacts(
            form: .portal, team: document.teamId, domain: document.domain, provider: nil,
            version: document.version, createdAt: signed.signed.signingTime)
        return (facts, signed.signed)
    }

    private static func platform(
        _ plain: [UInt8]
    ) throws(AssociationFault) -> (AssociationFacts, CMS.Signed) {
        struct Document: Decodable {
            var pspId: String
            var version: Int
            /// Milliseconds since 1970.
            var createdOn: Int64
            var signature: String
        }
        let document: Document = try decode(plain)
        guard let message = Hexadecimal.decode(document.signature) else {
            throw .damaged("its signature is not hexadecimal")
        }
        let covered = "\(document.pspId)\(document.createdOn)\(document.version)"
        let signed: CMS.Signed
        do throws(PKIError) {
            signed = try CMS.verifyDetached(message, content: Array(covered.utf8))
        } catch {
            throw fault(error)
        }
        let facts = AssociationFacts(
            form: .platform, team: nil, domain: nil, provider: document.pspId,
            version: document.version, createdAt: moment(milliseconds: document.createdOn))
        return (facts, signed)
    }

    /// Nil for what no clock of Apple's has shown.
    private static func moment(milliseconds: Int64) -> Timestamp? {
        let year2100: Int64 = 4_102_444_800
        let seconds = milliseconds / 1_000
        return (0...year2100).contains(seconds) ? Timestamp(seconds: seconds) : nil
    }

    private static func decode<Document: Decodable>(
        _ json: [UInt8]
    ) throws(AssociationFault) -> Document {
        do {
            return try JSONDecoder().decode(Document.self, from: Data(json))
        } catch DecodingError.keyNotFound(let key, _) {
            throw .damaged("there is no \(key.stringValue)")
        } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(
            _, let context)
        {
            let key = context.codingPath.first?.stringValue
            throw .damaged(key.map { "its \($0) is of another sort" } ?? "its JSON is no object")
        } catch {
            throw .damaged("its JSON cannot be read")
        }
    }

    private static func fault(_ error: PKIError) -> AssociationFault {
        switch error {
        case .signatureInvalid: .signatureWrong
        case .trailingBytes: .damaged("there are more bytes after the end of its signed message")
        default: .damaged("its signed message cannot be read")
        }
    }
}

// MARK: - Trust

extension AssociationFile {
    /// Checks that a certificate under the realm's roots has signed it.
    ///
    /// Validity in time is left out: Apple signs with certificates that expire, and its files serve on.
    ///
    /// - Returns: false where there is no root to ask: then nothing is known.
    /// - Throws: ``AssociationFault/notApples(realm:)``.
    package func verify(
        with trust: RealmTrust, realm: RealmName
    ) throws(AssociationFault) -> Bool {
        guard !trust.roots.isEmpty else { return false }
        let verdict = trust.verdict(on: signature.signer, others: signature.certificates)
        guard verdict.isVerified, !signature.signer.isCA, !Self.isDevelopers(signature.signer)
        else {
            throw .notApples(realm: realm)
        }
        return true
    }

    /// Whether Apple has given a certificate to a merchant or a developer: it stands under Apple's
    /// roots, too, and its holder could sign what they like.
    ///
    /// Which mark Apple's own signer of these files has is not documented, so those are told that it
    /// surely does not have.
    private static func isDevelopers(_ signer: Certificate) -> Bool {
        let purposes = [OID.clientAuth, OID.serverAuth, OID.codeSigning]
        return signer.subject.first(OID.userID) != nil
            || signer.extensionValue(OID.appleMerchantHash) != nil
            || signer.extensionValue(OID.appleMerchantIdentity) != nil
            || signer.extendedKeyUsage.contains(where: purposes.contains)
    }

    /// Whose key signed it.
    package var signer: Certificate { signature.signer }

    /// SHA-256 of the bytes: 64 lower-case hex digits.
    package var fingerprint: String { Hexadecimal.lowercase(SHA256.hash(bytes)) }
}

extension String {
    /// Without up to `count` padding characters at its end.
    fileprivate func drop(padding count: Int) -> Substring {
        var rest = self[...]
        for _ in 0..<count where rest.utf8.last == UInt8(ascii: "=") { rest.removeLast() }
        return rest
    }
}
