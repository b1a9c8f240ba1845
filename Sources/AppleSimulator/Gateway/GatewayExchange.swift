import TLSServer

/// One request with the mood it meets, and what that mood does to the answer.
struct GatewayExchange {
    let request: HTTPRequest
    let mood: Mood
    let connection: TLSConnection

    /// Does what comes in place of an answer, if anything does, after `noting` it; true then.
    func withholdAnswer(noting note: () -> Void) throws -> Bool {
        if mood.acts.contains(.neverAnswer) {
            note()
            while try !connection.read(atMost: 16_384).isEmpty {}
        } else if mood.acts.contains(.resetBeforeAnswer) {
            note()
            connection.end(.reset)
        } else if mood.acts.contains(.closeBeforeAnswer) {
            note()
            connection.end(.orderly)
        } else {
            return false
        }
        return true
    }

    /// Replaces the answer, or its body, by what the mood orders.
    func spoil(_ answer: inout HTTPAnswer, merchant: String) {
        if mood.acts.contains(.answerStatus) {
            let refusal = GatewayRefusal.ordered(mood.status, merchant)
            answer = HTTPAnswer(refusal.status, json: refusal.body)
        }
        if mood.acts.contains(.redirect) {
            answer = HTTPAnswer(302, json: "{}")
            answer.fields.append((name: "Location", value: request.path + "?redirected=1"))
        }
        if mood.acts.contains(.hugeBody) {
            let padding = String(repeating: "A", count: mood.hugeBodyBytes)
            answer.body = Array("{\"epochTimestamp\":0,\"signature\":\"\(padding)\"}".utf8)
        }
        if mood.acts.contains(.malform) {
            answer.body = Array("<html>this is not JSON</html>".utf8)
        }
    }

    /// Sends the answer; false when the connection is to end.
    func send(_ answer: HTTPAnswer) throws -> Bool {
        let isAnnounced = request.asksToClose || mood.acts.contains(.closeAnnounced)
        let isTruncated = mood.acts.contains(.truncate)
        var bytes = answer.encoded(
            closing: isAnnounced, chunked: mood.acts.contains(.chunk) && !isTruncated)
        if isTruncated { bytes.removeLast((answer.body.count + 1) / 2) }
        try connection.write(bytes, until: .now + .seconds(60))
        return !(isAnnounced || isTruncated || mood.acts.contains(.closeUnannounced))
    }
}
