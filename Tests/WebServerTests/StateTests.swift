import Testing

@testable import WebServer

/// The server's states as values, without a server.
@Suite struct StateTests {
    private func describe(_ call: ExchangeState.Call) -> String {
        switch call {
        case .header: "header"
        case .bodyPart: "part"
        case .bodyEnd: "end"
        case .reply(let response): "reply \(response.status)"
        case .surplus: "surplus"
        }
    }

    @Test func `a request goes from its header to its reply`() {
        var state = ExchangeState(maximumBodyBytes: 10)
        #expect(describe(state.called(bringing: 0)) == "header")
        state.accepted()
        #expect(describe(state.called(bringing: 4)) == "part")
        #expect(state.received(bytes: 10) == .keep)
        #expect(describe(state.called(bringing: 0)) == "end")
        #expect(state.ended() == .answer)
        #expect(state.suspended() == false)
        #expect(describe(state.called(bringing: 0)) == "surplus")
        #expect(state.answered(.empty(status: 200)) == .resume)
        #expect(describe(state.called(bringing: 0)) == "reply 200")
        #expect(describe(state.called(bringing: 0)) == "surplus")
    }

    @Test func `an early answer needs no suspension`() {
        var state = ExchangeState(maximumBodyBytes: 10)
        state.accepted()
        #expect(state.ended() == .answer)
        #expect(state.takeEarlyAnswer() == nil)
        #expect(state.answered(.empty(status: 201)) == .leave)
        #expect(state.takeEarlyAnswer()?.status == 201)
    }

    @Test func `an answer between the look and the suspension resumes at once`() {
        var state = ExchangeState(maximumBodyBytes: 10)
        state.accepted()
        _ = state.ended()
        #expect(state.takeEarlyAnswer() == nil)
        #expect(state.answered(.empty(status: 202)) == .leave)
        #expect(state.suspended() == true)
        #expect(describe(state.called(bringing: 0)) == "reply 202")
    }

    @Test func `of two answers the first one counts`() {
        var state = ExchangeState(maximumBodyBytes: 10)
        #expect(state.answered(.empty(status: 200)) == .drop)
        state.accepted()
        _ = state.ended()
        _ = state.suspended()
        #expect(state.answered(.empty(status: 504)) == .resume)
        #expect(state.answered(.empty(status: 200)) == .drop)
        #expect(describe(state.called(bringing: 0)) == "reply 504")
        #expect(state.answered(.empty(status: 200)) == .drop)
    }

    @Test func `a body that is too large is thrown away and then refused`() {
        var state = ExchangeState(maximumBodyBytes: 10, discardedBytes: 5)
        state.accepted()
        #expect(state.received(bytes: 10) == .keep)
        #expect(state.received(bytes: 1) == .discard)
        #expect(state.received(bytes: 4) == .discard)
        #expect(state.ended() == .refuseBody)
        #expect(describe(state.called(bringing: 0)) == "surplus")
    }

    @Test func `a body without an end is abandoned`() {
        var state = ExchangeState(maximumBodyBytes: 10, discardedBytes: 5)
        state.accepted()
        #expect(state.received(bytes: 16) == .abandon)
    }

    @Test func `a connection is cut or answered when its moment has come`() {
        let now = ContinuousClock.now
        var state = ConnectionState<Int>(idleUntil: now + .seconds(1))
        func action(_ state: ConnectionState<Int>, after seconds: Int) -> String {
            switch state.overdue(at: now + .seconds(seconds)) {
            case .cut: "cut"
            case .answer(let exchange): "answer \(exchange)"
            case nil: "wait"
            }
        }
        #expect(action(state, after: 0) == "wait")
        #expect(action(state, after: 1) == "cut")
        state.enter(.receiving, until: now + .seconds(5))
        #expect(action(state, after: 4) == "wait")
        #expect(action(state, after: 5) == "cut")
        state.enter(.answering(7), until: now + .seconds(9))
        #expect(action(state, after: 8) == "wait")
        #expect(action(state, after: 9) == "answer 7")
        state.enter(.replying, until: now + .seconds(10))
        #expect(action(state, after: 10) == "cut")
        state.close()
        state.enter(.idle, until: now)
        #expect(action(state, after: 99) == "wait")
    }

    @Test func `requests are let in up to a number, and none while draining`() {
        var admission = Admission(maximum: 2)
        #expect(admission.admit() == nil)
        #expect(admission.admit() == nil)
        #expect(admission.admit() == .overloaded)
        #expect(admission.release() == false)
        #expect(admission.admit() == nil)
        admission.drain()
        #expect(admission.admit() == .draining)
        #expect(admission.release() == false)
        #expect(admission.release() == true)
        admission.stop()
        admission.drain()
        #expect(admission.phase == .stopping)
    }

    @Test func `request ids are 16 hex digits and never the same`() {
        let identifiers = RequestIdentifiers(start: .max)
        let ids = (0..<10_000).map { _ in identifiers.next() }
        #expect(Set(ids).count == ids.count)
        #expect(ids.allSatisfy { $0.wholeMatch(of: /[0-9a-f]{16}/) != nil })
    }

    @Test func `header names are compared without regard to case`() {
        var headers: HTTPHeaders = ["X-One": "1", "x-one": "2", "Xone": "3"]
        #expect(headers["x-ONE"] == "1")
        #expect(headers.values(of: "X-ONE") == ["1", "2"])
        #expect(headers["x-on"] == nil)
        // Bytes that differ by 0x20 without being letters are not the same.
        #expect(HTTPHeaders(dictionaryLiteral: ("a[", "1"))["a{"] == nil)
        headers.set("X-ONE", "4")
        #expect(headers.values(of: "x-one") == ["4"])
    }
}
