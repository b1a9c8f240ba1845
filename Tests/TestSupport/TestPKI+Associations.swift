package import Clocks
import PKI

/// Domain association files of Apple's two forms, signed under the test roots.
extension TestPKI {
    /// As the portal writes it: base64url in lines of 76, of a signed message with `json` inside.
    package func portalFile(
        json: String, at moment: Timestamp? = nil, lineEnd: String = "\n",
        by authority: Authority? = nil
    ) throws -> [UInt8] {
        let authority = authority ?? identityIntermediate
        let key = try Self.sharedKey(.rsa2048)
        let signer = try fileSigner("Test Profile Signing", key: key.publicKey, by: authority)
        let message = try CMS.signAttached(
            content: Array(json.utf8), certificate: signer, chain: [authority.certificate],
            key: key, at: moment ?? now)
        let text = Array(Base64.encodeURL(message).utf8)
        let lines = stride(from: 0, to: text.count, by: 76).map {
            String(decoding: text[$0..<min(text.count, $0 + 76)], as: UTF8.self)
        }
        return Array(lines.joined(separator: lineEnd).utf8)
    }

    /// The same with the fields that Apple writes.
    package func portalFile(
        for domain: String, team: String = "TEAM123456", at moment: Timestamp? = nil,
        lineEnd: String = "\n"
    ) throws -> [UInt8] {
        let json =
            #"{"teamId":"\#(team)","domain":"\#(domain)","dateCreated":"01/02/27 03:04","version":1}"#
        return try portalFile(json: json, at: moment, lineEnd: lineEnd)
    }

    /// As a payment provider gets it: hexadecimal of JSON with a signature over three fields, which
    /// covers `signedVersion`.
    package func platformFile(
        provider: String = "0123ABCD", at moment: Timestamp? = nil, version: Int = 1,
        signedVersion: Int? = nil
    ) throws -> [UInt8] {
        let created = (moment ?? now).seconds * 1_000 + 821
        let key = try Self.sharedKey(.ecP256)
        let signer = try fileSigner(
            "Test Broker Signing", key: key.publicKey, by: integrationIntermediate)
        let signature = try CMS.signDetached(
            content: Array("\(provider)\(created)\(signedVersion ?? version)".utf8),
            certificate: signer, chain: [integrationIntermediate.certificate], key: key,
            at: moment ?? now)
        let json =
            #"{"pspId":"\#(provider)","version":\#(version),"createdOn":\#(created),"#
            + #""signature":"\#(Hexadecimal.lowercase(signature))"}"#
        return Array((Hexadecimal.uppercase(Array(json.utf8)) + "\n").utf8)
    }

    private func fileSigner(
        _ name: String, key: PublicKey, by authority: Authority
    ) throws -> Certificate {
        var template = CertificateTemplate(
            subject: .init(commonName: name, organization: "Test Inc."), publicKey: key,
            notBefore: now.adding(days: -400), notAfter: now.adding(days: -30))
        template.keyUsage = [.digitalSignature]
        return try template.issue(issuer: authority.certificate, issuerKey: authority.key)
    }
}
