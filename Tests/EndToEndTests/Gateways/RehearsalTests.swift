import TestSupport
import Testing

/// What a rehearsal proves, and what becomes of the identity.
@Suite(.twoAtATime) struct RehearsalTests {
    @Test(arguments: [
        (
            "failed",
            [
                #"{"status":401,"acts":{"answer-status":"always"}}"#,
                #"{"status":403,"acts":{"answer-status":"always"}}"#,
                #"{"alert":46,"acts":{"refuse-client":"always"}}"#,
                #"{"alert":45,"acts":{"refuse-client":"always"}}"#,
            ]
        ),
        (
            "incomplete",
            [
                #"{"status":417,"acts":{"answer-status":"always"}}"#,
                #"{"status":400,"acts":{"answer-status":"always"}}"#,
            ]
        ),
        (
            "inconclusive",
            [
                #"{"status":500,"acts":{"answer-status":"always"}}"#,
                #"{"acts":{"malform":"always"}}"#,
                #"{"acts":{"reset-before-answer":"always"}}"#,
                #"{"serverCertificate":"untrusted"}"#,
            ]
        ),
    ])
    func `an identity that does not prove itself is not used`(
        outcome: String, rudenesses: [String]
    ) async throws {
        let lab = try await Lab()
        for (index, rudeness) in rudenesses.enumerated() {
            try await lab.apple.behave()
            try await refuse(lab, Shop("shop\(index)"), rudeness, outcome)
        }
        try await lab.home.must("audit", "verify")
    }

    private func refuse(
        _ lab: Lab, _ shop: Shop, _ rudeness: String, _ outcome: String
    ) async throws {
        let name = Comment(rawValue: rudeness)
        try await lab.open(shop)
        let next = try #require(try await lab.certify(shop)["id"].text)
        try await lab.apple.behave(rudeness)
        let refused = try await lab.home.refusal("certificate", "activate", next)
        #expect(refused.status == 69 && refused.code == "rehearsal.\(outcome)", name)
        // Rehearsing alone tells the same; that Apple accepts the certificate is no failure.
        let rehearsed = try await lab.home.run("certificate", "rehearse", next, "--json")
        if outcome == "incomplete" {
            #expect(rehearsed.status == 0, name)
            #expect(try JSON(rehearsed.output)["outcome"] == "incomplete", name)
        } else {
            #expect(rehearsed.status == 69, name)
        }
        #expect(try await states(lab, shop, next: next) == ["active", "issued"], name)

        let accepted = try await lab.home.run(
            "certificate", "activate", next, "--accept-incomplete")
        #expect((accepted.status == 0) == (outcome == "incomplete"), "\(accepted.errorText)")
        #expect(
            accepted.errorText.contains("warning: Apple accepts the certificate, but")
                == (outcome == "incomplete"), "\(accepted.errorText)")
        if outcome != "incomplete" {
            try await lab.home.must("certificate", "activate", next, "--without-rehearsal")
        }
        #expect(try await states(lab, shop, next: next) == ["retiring", "active"], name)
        // The ledger tells how it was proved.
        let entries = try JSON.lines(try await lab.home.must("audit", "list", "--json"))
        let rehearsals = entries.filter { $0["act"] == "certificate.rehearsed" }
        #expect(rehearsals.last?["detail"]["outcome"] == .string(outcome), name)
        let activated = entries.last { $0["act"] == "certificate.activated" }
        #expect(
            activated?["detail"]["rehearsal"]
                == .string(outcome == "incomplete" ? "incomplete" : "waived"), name)
    }

    @Test func `a rehearsal disturbs nothing that serves`() async throws {
        let lab = try await Lab()
        let shop = Shop()
        try await lab.open(shop)
        // One, so that a request has no choice among the connections of several.
        let service = try await RunningService(
            lab.home, environment: ["PURSER_SERVE_WORKERS": "1"])
        #expect(try await service.session(shop.order).status == 200)
        let next = try await lab.certify(shop)
        try await lab.apple.clearLog()
        let id = try #require(next["id"].text)
        try await lab.home.must("certificate", "rehearse", id)
        #expect(try await states(lab, shop, next: id) == ["active", "issued"])
        let rehearsed = try await lab.apple.requests()
        #expect(rehearsed.map { $0["clientSerialNumber"] } == [next["serialNumber"].upper])
        let reply = try await service.session(shop.order)
        #expect(reply.status == 200)
        let requests = try await lab.apple.requests()
        #expect(requests.last?["clientSerialNumber"] != next["serialNumber"].upper)
        // On the connection that it had before.
        #expect(requests.last?["request"] == 2)
    }

    /// The states of the shop's two identities, that of `next` last.
    private func states(_ lab: Lab, _ shop: Shop, next: String) async throws -> [JSON] {
        let all = try await lab.home.json("certificate", "list", shop.merchant).elements
        let isNext: (JSON) -> Bool = { $0["id"] == .string(next) }
        return (all.filter { !isNext($0) } + all.filter(isNext)).map { $0["state"] }
    }
}
