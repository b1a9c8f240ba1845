/// Where one request stands: `receiving → answering → replied`, as a value that returns what to do.
///
/// libmicrohttpd calls for the header, for each part of the body and at the end, and once more after
/// a resume; the handler ends, or its time does, on some other thread. Whichever comes first decides,
/// and everything later finds its event refused.
struct ExchangeState: Sendable {
    private enum Phase: Sendable {
        /// The request line was read, the header is being read.
        case started
        case receiving(bytes: Int)
        /// The body was too large: it is thrown away, because no answer can be queued before its end.
        case discarding(bytes: Int)
        case answering(suspended: Bool)
        /// There is an answer, which the daemon's thread has not fetched yet.
        case answered(HTTPResponse)
        case replied
    }

    private var phase = Phase.started
    private let maximumBodyBytes: Int
    /// How much of a body that is too large is read before its connection is cut.
    private let discardedBytes: Int

    init(maximumBodyBytes: Int, discardedBytes: Int = 1 << 20) {
        self.maximumBodyBytes = maximumBodyBytes
        self.discardedBytes = discardedBytes
    }

    /// What a call of libmicrohttpd is about.
    enum Call {
        case header
        /// A part of the body; nothing may be queued now.
        case bodyPart
        case bodyEnd
        /// The answer is there: queue it.
        case reply(HTTPResponse)
        /// Nothing is left to be done for this request: the connection must end.
        case surplus
    }

    /// Says what the call is about that brings `bytes` of the body.
    mutating func called(bringing bytes: Int) -> Call {
        switch phase {
        case .started: return .header
        case .receiving, .discarding: return bytes > 0 ? .bodyPart : .bodyEnd
        case .answered(let response):
            phase = .replied
            return .reply(response)
        case .answering, .replied: return .surplus
        }
    }

    /// Whether neither the handler nor a refusal of ours has had a look at the request: its header or
    /// its body was not read to the end.
    var isUnread: Bool {
        switch phase {
        case .started, .receiving, .discarding: true
        case .answering, .answered, .replied: false
        }
    }

    /// The header was read and the request may go on.
    mutating func accepted() {
        phase = .receiving(bytes: 0)
    }

    /// The request is answered from within the present call.
    mutating func refused() {
        phase = .replied
    }

    /// What to do with a part of the body.
    enum PartAction { case keep, discard, abandon }

    /// Counts a part of the body.
    mutating func received(bytes more: Int) -> PartAction {
        switch phase {
        case .receiving(let bytes) where bytes + more <= maximumBodyBytes:
            phase = .receiving(bytes: bytes + more)
            return .keep
        case .receiving(let bytes), .discarding(let bytes):
            phase = .discarding(bytes: bytes + more)
            return bytes + more <= maximumBodyBytes + discardedBytes ? .discard : .abandon
        case .started, .answering, .answered, .replied: return .abandon
        }
    }

    /// What to do at the body's end.
    enum EndAction { case answer, refuseBody }

    /// The body is complete.
    mutating func ended() -> EndAction {
        if case .discarding = phase {
            phase = .replied
            return .refuseBody
        }
        phase = .answering(suspended: false)
        return .answer
    }

    /// What the bearer of an answer has to do.
    enum AnswerAction { case resume, leave, drop }

    /// An answer is there, from the handler or in its place; only the first one counts.
    mutating func answered(_ response: HTTPResponse) -> AnswerAction {
        guard case .answering(let suspended) = phase else { return .drop }
        phase = .answered(response)
        return suspended ? .resume : .leave
    }

    /// Fetches an answer that came before the connection was suspended; nil while there is none.
    mutating func takeEarlyAnswer() -> HTTPResponse? {
        guard case .answered(let response) = phase else { return nil }
        phase = .replied
        return response
    }

    /// The connection has been suspended; true when an answer came meanwhile and it must be resumed.
    mutating func suspended() -> Bool {
        guard case .answering = phase else { return true }
        phase = .answering(suspended: true)
        return false
    }
}
