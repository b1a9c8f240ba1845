import Problems
import Sessions

/// How a request for a session ended, as metrics tell it: `ok`, `fallback` where only the identity
/// before the one in use got it, or whose matter the failure is.
///
/// An alert that is to wake Apple's partner or the certificate's keeper, and not the operator of a
/// shop that asks for what is not registered, needs no list of codes.
struct SessionOutcome: Sendable, Hashable {
    /// `ok`, `fallback`, or a ``Culprit``.
    let name: String
    /// The error's stable code, for `fallback` that of the refusal; empty when all went well.
    let code: String

    static let ok = SessionOutcome(name: "ok", code: "")

    private init(name: String, code: String) {
        self.name = name
        self.code = code
    }

    /// The caller got a session, and by which identity.
    init(_ session: MerchantSession) {
        guard let refusal = session.refusal else {
            self = .ok
            return
        }
        self.init(name: "fallback", code: refusal.code)
    }

    /// What does not come from the desk was wrong with the request, unless it is a fault of ours.
    init(_ error: any Error) {
        guard let explained = error as? any Explained else {
            self.init(name: Culprit.purser.rawValue, code: "internal.error")
            return
        }
        let culprit = (error as? SessionError)?.culprit ?? .caller
        self.init(name: culprit.rawValue, code: explained.code)
    }
}
