import Clocks
import Files
import PKI
import Secrets
import TestSupport
import Testing
import Vault

/// A `master.json` that somebody wrote so that every start takes for ever.
@Suite struct HostileMasterFileTests {
    private let folder = TemporaryFolder()
    private let layout: HomeLayout
    private let secret = UnlockSecret.passphrase(SecretBytes(copying: Array("x".utf8)))

    init() {
        layout = HomeLayout(path: folder.path)
    }

    private func unlocker(
        _ number: Int, n: UInt64 = 1 << 17, r: UInt64 = 8, p: UInt64 = 1, keys: Int = 1
    ) -> String {
        let box = Base64.encode([UInt8](repeating: 7, count: 60))
        let wrapped = (1...keys).map { "{\"generation\":\($0),\"box\":\"\(box)\"}" }
        return """
            {"id":"\(number)","kind":"passphrase","createdAt":"2026-01-01T00:00:00Z",
            "publicKey":"\(box)","homeKey":"\(box)","scrypt":{"n":\(n),"r":\(r),"p":\(p),"salt":"\(Base64.encode(Array(0..<16)))"},
            "wrapped":[\(wrapped.joined(separator: ","))]}
            """
    }

    /// What opening says, and that it says so before anything was derived.
    private func refusal(_ unlockers: [String]) throws -> VaultError? {
        let text = """
            {"version":2,"generation":1,"hmac":"","unlockers":[\(unlockers.joined(separator: ","))]}
            """
        try DurableFile.write(Array(text.utf8), to: layout.master, replacing: true)
        let start = ContinuousClock.now
        let error = #expect(throws: VaultError.self) { try Vault.open(layout, secret: secret) }
        #expect(ContinuousClock.now - start < .seconds(5))
        return error
    }

    @Test func `more unlockers than any home has are refused untried`() throws {
        let error = try refusal((0..<33).map { unlocker($0, n: 2) })
        #expect(error == .masterTooCostly("33 unlockers, more than 32"))
        #expect(try refusal((0..<2_000).map { unlocker($0) })?.code == "vault.master-too-costly")
        #expect(error?.remedy.contains("backup") == true)
    }

    @Test func `what all passphrases cost together is bounded, and not the cost of each alone`()
        throws
    {
        // Each is within what one may ask.
        let error = try refusal((0..<17).map { unlocker($0) })
        #expect(
            error == .masterTooCostly("scrypt 17 times as long as for one passphrase"))
        #expect(
            try refusal([unlocker(1, p: 32)])
                == .masterTooCostly("scrypt 32 times as long as for one passphrase"))
        #expect(
            try refusal((0..<32).map { unlocker($0, n: 1 << 18, p: 32) })
                == .masterTooCostly("scrypt 2048 times as long as for one passphrase"))
    }

    @Test(
        arguments: [
            (1 << 63, 8, 1), (UInt64.max, 8, 1), (1 << 17, .max, 1), (1 << 17, 8, .max),
            (1 << 30, 32, 32), (0, 8, 1), (1, 8, 1), (3, 8, 1), (1 << 17, 0, 1), (1 << 17, 8, 0),
        ] as [(UInt64, UInt64, UInt64)])
    func `parameters that cannot be multiplied are damage, and no crash`(
        n: UInt64, r: UInt64, p: UInt64
    ) throws {
        #expect(
            try refusal([unlocker(1, n: 2), unlocker(2, n: n, r: r, p: p)])
                == .masterDamaged("the scrypt parameters are out of bounds"))
    }

    @Test func `an unlocker wraps two vault keys at most`() throws {
        let error = try refusal([unlocker(1, n: 2, keys: 3)])
        #expect(error?.code == "vault.master-too-costly")
        #expect(try refusal([unlocker(1, n: 2, keys: 2)]) == .wrongPassphrase)
    }

    @Test func `as many as are allowed are tried`() throws {
        #expect(try refusal((0..<32).map { unlocker($0, n: 2) }) == .wrongPassphrase)
    }
}
