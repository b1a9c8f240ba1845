package import Clocks
package import Problems

/// Why an answer about revocation says nothing.
///
/// None of these speaks against the certificate that was asked about.
package enum OCSPError: Explained, Equatable {
    case notTheIssuer
    case malformedAnswer(String, OpenSSLReasons)
    case answerTooLarge(limit: Int)
    case refused(Refusal)
    case otherCertificate
    case nonceDiffers
    case weakSignature(String)
    case signerUnknown
    case signerNotAllowed(String)
    case signatureInvalid(OpenSSLReasons)
    case fromTheFuture(Timestamp)
    case outdated(since: Timestamp)

    /// What a responder answers instead of a statement (RFC 6960 §4.2.1); nothing of it is signed.
    package enum Refusal: Int, Sendable, Hashable, CaseIterable {
        case malformedRequest = 1
        case internalError = 2
        case tryLater = 3
        case signatureRequired = 5
        case unauthorized = 6

        var words: String {
            switch self {
            case .malformedRequest: "malformed request"
            case .internalError: "internal error"
            case .tryLater: "try later"
            case .signatureRequired: "requests must be signed"
            case .unauthorized: "unauthorized"
            }
        }
    }

    package var code: String {
        switch self {
        case .notTheIssuer: "ocsp.not-the-issuer"
        case .malformedAnswer: "ocsp.malformed-answer"
        case .answerTooLarge: "ocsp.answer-too-large"
        case .refused: "ocsp.refused"
        case .otherCertificate: "ocsp.other-certificate"
        case .nonceDiffers: "ocsp.nonce-differs"
        case .weakSignature: "ocsp.weak-signature"
        case .signerUnknown: "ocsp.signer-unknown"
        case .signerNotAllowed: "ocsp.signer-not-allowed"
        case .signatureInvalid: "ocsp.signature-invalid"
        case .fromTheFuture: "ocsp.from-the-future"
        case .outdated: "ocsp.outdated"
        }
    }

    package var summary: String {
        switch self {
        case .notTheIssuer: "the certificate was not issued by this authority"
        case .malformedAnswer(let what, _): "what came is no OCSP answer: \(what)"
        case .answerTooLarge(let limit): "the OCSP answer is larger than \(limit) bytes"
        case .refused(let refusal): "the OCSP responder gives no answer: \(refusal.words)"
        case .otherCertificate: "the OCSP answer is about another certificate"
        case .nonceDiffers: "the OCSP answer was made for another question"
        case .weakSignature(let name): "the OCSP answer is signed with \(name), which is too weak"
        case .signerUnknown: "the OCSP answer does not hold the certificate of who signed it"
        case .signerNotAllowed(let why): "whoever signed the OCSP answer may not: \(why)"
        case .signatureInvalid: "the signature of the OCSP answer does not verify"
        case .fromTheFuture(let moment): "the OCSP answer is of \(moment), which is yet to come"
        case .outdated(let since): "the OCSP answer has been out of date since \(since)"
        }
    }

    package var remedy: String {
        switch self {
        case .notTheIssuer: "import the certificate together with its chain"
        case .malformedAnswer, .answerTooLarge:
            "find out who answers at the certificate's OCSP address: a proxy may stand in the way"
        case .refused(.tryLater), .refused(.internalError):
            "nothing now: it is asked again; if it persists, ask who runs the responder"
        case .refused, .otherCertificate:
            "check that the certificate was issued by the authority that it names"
        case .nonceDiffers: "find out who answers there: an old answer may have been played again"
        case .weakSignature: "ask who runs the responder for SHA-256 or better"
        case .signerUnknown, .signerNotAllowed, .signatureInvalid:
            "find out who answers at the certificate's OCSP address; do not believe it"
        case .fromTheFuture: "check this machine's clock"
        case .outdated: "check this machine's clock; if it is right, ask who runs the responder"
        }
    }

    package var nature: Nature {
        switch self {
        case .notTheIssuer: .badData
        case .refused: .refused
        default: .unreachable
        }
    }

    package var cause: (any Error)? {
        switch self {
        case .malformedAnswer(_, let reasons), .signatureInvalid(let reasons): reasons
        default: nil
        }
    }

    package static var examples: [OCSPError] {
        let reasons = OpenSSLReasons(["wrong tag"])
        let moment = Timestamp(seconds: 1_900_000_000)
        return [
            .notTheIssuer, .malformedAnswer("it is cut off", reasons),
            .answerTooLarge(limit: 65_536), .refused(.unauthorized), .refused(.tryLater),
            .otherCertificate, .nonceDiffers, .weakSignature("sha1WithRSAEncryption"),
            .signerUnknown, .signerNotAllowed("it was not issued by the certificate's issuer"),
            .signatureInvalid(reasons), .fromTheFuture(moment), .outdated(since: moment),
        ]
    }
}
