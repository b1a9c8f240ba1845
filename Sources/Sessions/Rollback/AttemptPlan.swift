/// What comes after an attempt for a session that failed; pure.
///
/// An identity gets one retry, and only where the request failed before an answer or Apple answered
/// with 5xx. A refusal that is the identity's or the merchant's is taken to the identity before it,
/// which has a retry of its own. All within one budget of time.
struct AttemptPlan {
    enum Step: Equatable {
        /// The same once more, on a new connection.
        case again
        /// The same under the identity before.
        case fallBack
        case end(SessionError)
    }

    /// With less time left than this nothing more is tried.
    static let leastTime = Duration.milliseconds(200)

    /// How often Apple has been asked, the attempt under way included.
    var number = 1
    /// Whether the attempt under way is an identity's second.
    private(set) var isRetry = false
    /// Why the identity in use was refused, once the one before it is tried.
    private(set) var refusal: SessionError?

    /// Decides on the attempt that `reason` has ended, with so much of the budget `left`.
    mutating func step(
        after reason: SessionError, mayRetry: Bool, hasFallback: Bool, left: Duration
    ) -> Step {
        let hasTime = left > Self.leastTime
        if mayRetry, !isRetry, hasTime {
            number += 1
            isRetry = true
            return .again
        }
        // The identity in use is what the caller knows of, whatever the other one met.
        if let refusal { return .end(refusal) }
        guard hasFallback, hasTime, reason.mayBeTheIdentitys else { return .end(reason) }
        number += 1
        isRetry = false
        refusal = reason
        return .fallBack
    }
}

extension SessionError {
    /// Whether another identity of the merchant might have got the session.
    fileprivate var mayBeTheIdentitys: Bool {
        culprit == .certificate || culprit == .merchant
    }
}
