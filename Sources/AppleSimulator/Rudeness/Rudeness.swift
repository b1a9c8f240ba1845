package import TLSServer

/// How awkward the gateway is at the moment; the default is not at all.
///
/// In JSON every key is optional and unknown ones are refused:
/// `{"latencyMilliseconds":20,"status":503,"acts":{"answer-status":"next=2"}}`.
package struct Rudeness: Sendable, Equatable {
    /// Which certificate the gateway shows.
    package enum ServerCertificate: String, Sendable, CaseIterable, Codable {
        case trusted
        /// From a CA that nobody trusts.
        case untrusted
        /// From the trusted CA, out of date.
        case expired
        /// From the trusted CA, for another host name.
        case wrongName = "wrong-name"
    }

    /// What is done, and how often.
    package var acts: [RudeAct: Frequency]
    /// Time before every answer.
    package var latencyMilliseconds: Int
    /// The most that is added to the latency at random.
    package var latencyJitterMilliseconds: Int
    /// After how much silence a kept connection is closed; nil for never.
    package var idleCloseMilliseconds: Int?
    /// For new connections.
    package var serverCertificate: ServerCertificate
    /// For ``RudeAct/answerStatus``.
    package var status: Int
    /// For ``RudeAct/refuseClient``.
    package var alert: TLSAlert
    /// For ``RudeAct/hugeBody``.
    package var hugeBodyBytes: Int

    package init(
        acts: [RudeAct: Frequency] = [:], latencyMilliseconds: Int = 0,
        latencyJitterMilliseconds: Int = 0, idleCloseMilliseconds: Int? = nil,
        serverCertificate: ServerCertificate = .trusted, status: Int = 500,
        alert: TLSAlert = .certificateUnknown, hugeBodyBytes: Int = 8 << 20
    ) {
        self.acts = acts
        self.latencyMilliseconds = latencyMilliseconds
        self.latencyJitterMilliseconds = latencyJitterMilliseconds
        self.idleCloseMilliseconds = idleCloseMilliseconds
        self.serverCertificate = serverCertificate
        self.status = status
        self.alert = alert
        self.hugeBodyBytes = hugeBodyBytes
    }

    /// A gateway on its best behaviour.
    package static let none = Rudeness()
}

// MARK: - JSON

extension Rudeness: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case acts, latencyMilliseconds, latencyJitterMilliseconds, idleCloseMilliseconds
        case serverCertificate, status, alert, hugeBodyBytes
    }

    private struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    package init(from decoder: any Decoder) throws {
        for key in try decoder.container(keyedBy: AnyKey.self).allKeys
        where CodingKeys(stringValue: key.stringValue) == nil {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [key], debugDescription: "there is no such rudeness"))
        }
        let box = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        func read<Value: Decodable>(_ key: CodingKeys, into value: inout Value) throws {
            if let given = try box.decodeIfPresent(Value.self, forKey: key) { value = given }
        }
        try read(.acts, into: &acts)
        try read(.latencyMilliseconds, into: &latencyMilliseconds)
        try read(.latencyJitterMilliseconds, into: &latencyJitterMilliseconds)
        idleCloseMilliseconds = try box.decodeIfPresent(Int.self, forKey: .idleCloseMilliseconds)
        try read(.serverCertificate, into: &serverCertificate)
        try read(.status, into: &status)
        try read(.alert, into: &alert)
        try read(.hugeBodyBytes, into: &hugeBodyBytes)
        let numbers = [
            latencyMilliseconds, latencyJitterMilliseconds, idleCloseMilliseconds ?? 0,
            hugeBodyBytes,
        ]
        guard numbers.allSatisfy({ $0 >= 0 }), (100...599).contains(status) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "a number out of range"))
        }
    }
}
