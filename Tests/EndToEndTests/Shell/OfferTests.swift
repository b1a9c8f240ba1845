import TestSupport
import Testing

/// What completion offers: of a home's names those that the command can take.
@Suite(.twoAtATime) struct OfferTests {
    @Test func `a credential is offered where its state and kind allow it`() async throws {
        let lab = try await Lab()
        let shop = Shop()
        try await lab.register(shop)
        let active = try await lab.activate(shop)
        let issued = try await lab.certify(shop)["id"].text ?? ""
        let processing = try await lab.certify(shop, "payment-processing")["id"].text ?? ""
        try await lab.home.must("certificate", "request", shop.merchant, "payment-processing")
        let all = try await lab.home.json("certificate", "list")
        #expect(try await offers(lab, "credential").count == 4)
        #expect(try await offers(lab, "activatable") == [issued])
        #expect(try await offers(lab, "rehearsable") == [active, issued])
        #expect(try await offers(lab, "exportable") == [active, issued, processing])
        #expect(try await offers(lab, "revocable").count == 4)
        #expect(try await offers(lab, "abandonable").count == 3)
        #expect(try await offers(lab, "retirable") == [])
        #expect(try await offers(lab, "destroyable") == [])
        // A CSR that was uploaded may have been activated before its certificate is imported.
        let recordable = try await offers(lab, "recordable")
        #expect(recordable.count == 2 && recordable.contains(processing), "\(all)")
        #expect(try await offers(lab, "domain", shop.merchant) == [shop.domain])
        #expect(try await offers(lab, "domain") == [])
    }

    private func offers(_ lab: Lab, _ words: String...) async throws -> Set<String> {
        let text = String(
            decoding: try await lab.home.must(["__complete"] + words), as: UTF8.self)
        return Set(text.split(separator: "\n").map(String.init))
    }
}
