package import Problems

/// What is wrong with a key, a certificate or another thing made of them.
///
/// It never holds bytes of what was read: only names, sizes and the library's fixed reason texts.
package enum PKIError: Explained, Equatable {
    case notACertificate(OpenSSLReasons)
    case badSerialNumber(String)
    case notARequest(OpenSSLReasons)
    case notAPrivateKey(OpenSSLReasons)
    case notAPublicKey(OpenSSLReasons)
    case privateKeyEncrypted
    case keyHalvesDiffer
    case unsupportedKey(String)
    case malformedPEM(String)
    case trailingBytes(after: String)
    case tooLarge(String, limit: Int)
    case malformedName(String)
    case malformedTemplate(String)
    case keyDoesNotFit
    case refusedByTLS(OpenSSLReasons)
    case wrongPassword
    case malformedBundle(String, OpenSSLReasons)
    case unsupportedBundle(String)
    case bundleTooCostly(iterations: Int, limit: Int)
    case derivationTooLarge(bytes: Int, limit: Int)
    case passwordNeeded(String)
    case cannotDecrypt(String)
    case nestedTooDeeply(limit: Int)
    case tooManyItems(limit: Int)
    case truncated(missing: Int)
    case unreadable(ForeignShape)
    case nothingFound
    case sealBroken
    case parametersRefused(String)
    case malformedMessage(OpenSSLReasons)
    case signatureInvalid(OpenSSLReasons)
    case library(String, OpenSSLReasons)

    package var code: String {
        switch self {
        case .notACertificate: "pki.not-a-certificate"
        case .badSerialNumber: "pki.bad-serial-number"
        case .notARequest: "pki.not-a-request"
        case .notAPrivateKey: "pki.not-a-private-key"
        case .notAPublicKey: "pki.not-a-public-key"
        case .privateKeyEncrypted: "pki.private-key-encrypted"
        case .keyHalvesDiffer: "pki.key-halves-differ"
        case .unsupportedKey: "pki.unsupported-key"
        case .malformedPEM: "pki.malformed-pem"
        case .trailingBytes: "pki.trailing-bytes"
        case .tooLarge: "pki.too-large"
        case .malformedName: "pki.malformed-name"
        case .malformedTemplate: "pki.malformed-template"
        case .keyDoesNotFit: "pki.key-does-not-fit"
        case .refusedByTLS: "pki.refused-by-tls"
        case .wrongPassword: "pki.wrong-password"
        case .malformedBundle: "pki.malformed-bundle"
        case .unsupportedBundle: "pki.unsupported-bundle"
        case .bundleTooCostly: "pki.bundle-too-costly"
        case .derivationTooLarge: "pki.derivation-too-large"
        case .passwordNeeded: "pki.password-needed"
        case .cannotDecrypt: "pki.cannot-decrypt"
        case .nestedTooDeeply: "pki.nested-too-deeply"
        case .tooManyItems: "pki.too-many-items"
        case .truncated: "pki.truncated"
        case .unreadable(.empty): "pki.empty-file"
        case .unreadable(.javaKeystore): "pki.java-keystore"
        case .unreadable(.openSSHKey): "pki.openssh-key"
        case .unreadable(.pgp): "pki.pgp-file"
        case .unreadable(.html): "pki.web-page"
        case .unreadable(.text): "pki.plain-text"
        case .unreadable: "pki.unknown-file"
        case .nothingFound: "pki.nothing-found"
        case .sealBroken: "pki.seal-broken"
        case .parametersRefused: "pki.parameters-refused"
        case .malformedMessage: "pki.malformed-message"
        case .signatureInvalid: "pki.signature-invalid"
        case .library: "pki.library-failure"
        }
    }

    package var summary: String {
        switch self {
        case .notACertificate: "these bytes are no X.509 certificate"
        case .badSerialNumber(let what): "the certificate's serial number is none: \(what)"
        case .notARequest: "these bytes are no certificate signing request"
        case .notAPrivateKey: "these bytes are no private key"
        case .notAPublicKey: "these bytes are no public key"
        case .privateKeyEncrypted: "the private key is encrypted"
        case .keyHalvesDiffer: "the private key does not belong to the public key beside it"
        case .unsupportedKey(let what): "a key of this sort cannot be used here: \(what)"
        case .malformedPEM(let what): "the PEM text is damaged: \(what)"
        case .trailingBytes(let thing): "there are more bytes after the end of the \(thing)"
        case .tooLarge(let thing, let limit): "the \(thing) is larger than \(limit) bytes"
        case .malformedName(let what): "this cannot be a certificate's subject: \(what)"
        case .malformedTemplate(let what): "this certificate cannot be made: \(what)"
        case .keyDoesNotFit: "the certificate was not made for this key"
        case .refusedByTLS: "this certificate, chain and key together are not accepted by TLS"
        case .wrongPassword: "the password does not open the PKCS#12 file"
        case .malformedBundle(let what, _): "the PKCS#12 file is damaged: \(what)"
        case .unsupportedBundle(let what): "the PKCS#12 file uses what cannot be read: \(what)"
        case .bundleTooCostly(let iterations, let limit):
            "the file asks for \(iterations) iterations; at most \(limit) are done"
        case .derivationTooLarge(let bytes, let limit):
            "the password's derivation asks for \(bytes >> 20) MiB of memory; at most \(limit >> 20)"
        case .passwordNeeded(let thing): "the \(thing) is encrypted, and no password was given"
        case .cannotDecrypt(let thing):
            "the \(thing) does not decrypt: the password is another one, or the file is damaged"
        case .nestedTooDeeply(let limit): "its parts lie in one another more than \(limit) deep"
        case .tooManyItems(let limit): "the file holds more than \(limit) keys and certificates"
        case .truncated(let missing): "the file was cut off; \(missing) bytes are missing"
        case .unreadable(let shape): "this is \(shape), with nothing in it that can be read"
        case .nothingFound: "the file holds no key, certificate or request"
        case .sealBroken: "the sealed bytes were changed, or the key is another one"
        case .parametersRefused(let what): "parameters outside the bounds: \(what)"
        case .malformedMessage: "these bytes are no signed message (CMS)"
        case .signatureInvalid: "the signature does not verify"
        case .library(let act, _): "could not \(act): OpenSSL failed"
        }
    }

    package var remedy: String {
        switch self {
        case .notACertificate:
            "give the certificate as Apple's portal gives it: a .cer or a PEM file"
        case .badSerialNumber:
            "fetch the certificate again from who issued it; one with this number was not issued"
        case .notARequest: "give a PKCS#10 request, such as openssl req -new makes"
        case .notAPrivateKey:
            "give the key as PKCS#8 PEM, such as openssl pkcs8 -topk8 -nocrypt makes"
        case .notAPublicKey: "give a DER SubjectPublicKeyInfo, such as openssl pkey -pubout makes"
        case .privateKeyEncrypted: "decrypt it first: openssl pkcs8 -in key.pem -out plain.pem"
        case .keyHalvesDiffer: "look for an intact copy of the key"
        case .unsupportedKey: "use RSA 2048 or EC P-256 with a named curve"
        case .malformedPEM: "fetch the file again; copy it whole, from BEGIN to END"
        case .trailingBytes: "remove what follows, or fetch the file again"
        case .tooLarge: "check that it is the right file"
        case .malformedName: "use shorter text without control characters"
        case .malformedTemplate: "correct the template"
        case .keyDoesNotFit: "find the key whose request the certificate was made from"
        case .refusedByTLS: "check the certificate with: openssl x509 -text -noout -in FILE"
        case .wrongPassword: "give the password under which the file was made"
        case .malformedBundle: "export the file again"
        case .unsupportedBundle:
            "export it with AES: openssl pkcs12 -export -keypbe AES-256-CBC -certpbe AES-256-CBC"
        case .bundleTooCostly: "export the file again with fewer iterations"
        case .derivationTooLarge:
            "encrypt the key again: openssl pkcs8 -topk8 -in FILE -out key.pem"
        case .passwordNeeded: "give its password with --password-file FILE"
        case .cannotDecrypt: "give the password under which it was encrypted, or export it again"
        case .nestedTooDeeply: "export the keys and certificates again, without the wrapping"
        case .tooManyItems: "take out what is needed and give that alone"
        case .truncated: "fetch the file again; its download or copy stopped too early"
        case .unreadable(let shape): shape.remedy
        case .nothingFound: "check that it is the right file"
        case .sealBroken: "restore the file from a backup, and check which key is in use"
        case .parametersRefused: "restore the file that holds the parameters from a backup"
        case .malformedMessage: "fetch the message again"
        case .signatureInvalid: "fetch it again, and check who is said to have signed it"
        case .library: "look at the cause in the log; check the installation of OpenSSL 3"
        }
    }

    package var nature: Nature {
        switch self {
        case .wrongPassword, .cannotDecrypt, .passwordNeeded, .sealBroken: .denied
        case .library: .internalFault
        case .parametersRefused: .configuration
        default: .badData
        }
    }

    package var cause: (any Error)? {
        switch self {
        case .notACertificate(let reasons), .notARequest(let reasons), .notAPrivateKey(let reasons),
            .notAPublicKey(let reasons), .refusedByTLS(let reasons),
            .malformedBundle(_, let reasons), .malformedMessage(let reasons),
            .signatureInvalid(let reasons), .library(_, let reasons):
            reasons
        default: nil
        }
    }

    package static var examples: [PKIError] {
        let reasons = OpenSSLReasons(["wrong tag"])
        return [
            .notACertificate(reasons), .badSerialNumber("it is negative"), .notARequest(reasons),
            .notAPrivateKey(reasons),
            .notAPublicKey(reasons), .privateKeyEncrypted, .keyHalvesDiffer,
            .unsupportedKey("RSA 1024"), .malformedPEM("END does not match BEGIN"),
            .trailingBytes(after: "certificate"), .tooLarge("certificate", limit: 65_536),
            .malformedName("the common name is empty"),
            .malformedTemplate("it ends before it starts"),
            .keyDoesNotFit, .refusedByTLS(reasons), .wrongPassword,
            .malformedBundle("it has no contents", reasons),
            .unsupportedBundle("pbeWithSHA1And40BitRC2-CBC"),
            .bundleTooCostly(iterations: 2_000_000_000, limit: 1_000_000),
            .derivationTooLarge(bytes: 1 << 30, limit: 32 << 20), .passwordNeeded("private key"),
            .cannotDecrypt("private key"), .nestedTooDeeply(limit: 8), .tooManyItems(limit: 256),
            .truncated(missing: 12), .unreadable(.empty), .unreadable(.javaKeystore),
            .unreadable(.openSSHKey), .unreadable(.pgp), .unreadable(.html), .unreadable(.text),
            .unreadable(.unknown), .nothingFound, .sealBroken,
            .parametersRefused("scrypt with N = 3"), .malformedMessage(reasons),
            .signatureInvalid(reasons), .library("make a key", reasons),
        ]
    }
}
