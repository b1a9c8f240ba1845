/// One way in which the gateway can be awkward.
///
/// The raw value is the switch on the command line (`--truncate always`) and the key in JSON.
package enum RudeAct: String, Sendable, CaseIterable, Codable, CodingKeyRepresentable {
    // On a new connection
    /// A TCP reset right after it is accepted.
    case resetOnAccept = "reset-on-accept"
    /// Not a byte of TLS, however long the client waits.
    case ignoreHandshake = "ignore-handshake"
    /// The client's certificate is refused with ``Rudeness/alert``; late, in TLS 1.3.
    case refuseClient = "refuse-client"

    // On a request
    /// ``Rudeness/status`` in place of the answer.
    case answerStatus = "answer-status"
    /// A redirect to another path (302).
    case redirect
    /// Not a byte of answer, however long the client waits.
    case neverAnswer = "never-answer"
    /// An orderly end of the connection in place of the answer.
    case closeBeforeAnswer = "close-before-answer"
    /// A TCP reset in place of the answer.
    case resetBeforeAnswer = "reset-before-answer"

    // On the answer
    /// Half of the body, then the end of the connection.
    case truncate
    /// A body of the told length that is not JSON.
    case malform
    /// An endless string in the JSON: ``Rudeness/hugeBodyBytes`` of it.
    case hugeBody = "huge-body"
    /// `Transfer-Encoding: chunked`, in small chunks.
    case chunk
    /// `Connection: close`, and closing.
    case closeAnnounced = "close-announced"
    /// Closing after the answer without having said so.
    case closeUnannounced = "close-unannounced"

    /// What it does, for `--help` and tables.
    package var help: String {
        switch self {
        case .resetOnAccept: "reset the connection right after accepting it"
        case .ignoreHandshake: "accept, and never say a word of TLS"
        case .refuseClient: "refuse the client's certificate with --alert"
        case .answerStatus: "answer with --status"
        case .redirect: "answer 302 to another path"
        case .neverAnswer: "read the request and never answer"
        case .closeBeforeAnswer: "close in place of the answer"
        case .resetBeforeAnswer: "reset in place of the answer"
        case .truncate: "send half of the body, then close"
        case .malform: "send a body that is not JSON"
        case .hugeBody: "send a body of --huge-body-bytes"
        case .chunk: "send the body in chunks"
        case .closeAnnounced: "close after the answer, announced by Connection: close"
        case .closeUnannounced: "close after the answer without having said so"
        }
    }
}
