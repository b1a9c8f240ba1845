/// What a rehearsal says of a merchant identity certificate.
///
/// A TLS alert, 401 or 403 fails the certificate. 400 and 417 prove it, because Apple has looked at
/// the merchant behind it, and tell what is unfinished at Apple. Everything else says nothing.
package enum RehearsalVerdict: Sendable, Equatable {
    /// Apple answered with a session.
    case proven
    /// Apple accepts the certificate; the merchant is not ready there.
    case incomplete(SessionError)
    /// Apple refuses the certificate.
    case failed(SessionError)
    /// Nothing is known: the network or Apple failed.
    case inconclusive(SessionError)

    /// Judges the error of the session that was tried.
    package init(_ error: SessionError) {
        switch error.culprit {
        case .certificate: self = .failed(error)
        case .domain, .merchant: self = .incomplete(error)
        case .caller, .purser, .network: self = .inconclusive(error)
        case .apple:
            if case .requestRefused = error {
                self = .incomplete(error)
            } else {
                self = .inconclusive(error)
            }
        }
    }
}
