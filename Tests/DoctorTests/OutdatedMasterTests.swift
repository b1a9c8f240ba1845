import Doctor
import Files
import TestSupport
import Testing
import Vault

/// A master.json from before a rotation, in its place again.
@Suite struct OutdatedMasterTests {
    @Test func `side files tell of it, with and without a key`() async throws {
        let ward = try await Ward()
        let older = try InputFile.read(ward.layout.master, limit: 100_000)
        _ = try ward.vault.beginRotation()
        // Only one was renewed when the rotation died, and the ledger knows nothing of it.
        let sides = try ward.layout.storedFiles().filter {
            if case .side = $0 { true } else { false }
        }
        #expect(try ward.vault.renew(#require(sides.first)) == .done)
        try DurableFile.write(older, to: ward.layout.master, replacing: true)
        for withKey in [false, true] {
            let found = await ward.examine(withKey: withKey).findings
            #expect(
                found.contains {
                    $0.check == "master-key" && $0.severity == .critical
                        && $0.summary.contains("generation 1; the home has 2 already")
                }, "\(found)")
        }
    }
}
