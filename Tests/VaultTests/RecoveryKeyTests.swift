import Clocks
import Files
import Secrets
import TestSupport
import Testing
import Vault

@Suite struct RecoveryKeyTests {
    private func text(_ key: RecoveryKey) -> String {
        String(decoding: key.text.withUnsafeBytes { Array($0) }, as: UTF8.self)
    }

    private func read(_ text: String) throws -> RecoveryKey {
        try RecoveryKey(reading: SecretBytes(copying: Array(text.utf8)))
    }

    private func fault(_ text: String) -> String? {
        do {
            _ = try read(text)
            return nil
        } catch {
            return (error as? VaultError)?.summary
        }
    }

    @Test func `what was printed is read again, however it is typed`() throws {
        for _ in 0..<50 {
            let key = RecoveryKey.random()
            let printed = text(key)
            #expect(
                printed.wholeMatch(of: /([0-9A-HJKMNP-TV-Z]{4}-){13}[0-9A-HJKMNP-TV-Z]{4}/) != nil)
            let typed = [
                printed, printed.lowercased(), printed.replacing("-", with: ""),
                printed.replacing("-", with: " "), " \(printed)\r\n",
                printed.replacing("0", with: "O").replacing("1", with: "I"),
                printed.replacing("0", with: "o").replacing("1", with: "l"),
            ]
            for typed in typed { #expect(text(try read(typed)) == printed, "\(typed)") }
        }
    }

    @Test func `one wrong, missing, added or exchanged character is found`() {
        let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
        let printed = Array(text(.random()).replacing("-", with: ""))
        for index in printed.indices {
            var changed = printed
            for other in alphabet where other != printed[index] {
                changed[index] = other
                #expect(
                    fault(String(changed)) == "this is no recovery key: its checksum does not fit")
            }
            var exchanged = printed
            exchanged.swapAt(index, (index + 1) % printed.count)
            #expect((fault(String(exchanged)) != nil) == (exchanged != printed))
            changed = printed
            changed.remove(at: index)
            #expect(
                fault(String(changed)) == "this is no recovery key: it has 55 characters, not 56")
            changed.insert("U", at: index)
            #expect(
                fault(String(changed))
                    == "this is no recovery key: a character is none of its alphabet")
        }
        #expect(fault("") == "this is no recovery key: it has 0 characters, not 56")
        #expect(fault(String(repeating: "0", count: 4_096)) != nil)
    }

    @Test func `it opens the home that was made with it, and no other does`() throws {
        let folder = TemporaryFolder()
        let layout = HomeLayout(path: folder.path)
        let key = RecoveryKey.random()
        let file = UnlockSecret.keyFile(.random(count: 32))
        _ = try Vault.create(layout, secret: file, recoveryKey: key, at: Timestamp(seconds: 0))
        let one = try Vault.open(layout, secret: file)
        let other = try Vault.open(layout, secret: try read(text(key)).secret)
        #expect(one.unlocker != other.unlocker)
        #expect(throws: VaultError.wrongRecoveryKey) {
            try Vault.open(layout, secret: RecoveryKey.random().secret)
        }
    }
}
