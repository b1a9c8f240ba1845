import Clocks
import Files
import Glibc
import Merchants
import PKI
import Secrets
import TestSupport
import Testing
import Vault

/// A home with an opened vault, for one test.
struct VaultFixture {
    let folder = TemporaryFolder()
    let keyFile = SecretBytes.random(count: 32)
    let layout: HomeLayout
    let vault: Vault

    init() throws {
        layout = HomeLayout(path: folder.path)
        try Folder.make(layout.keys)
        vault = try Vault.create(
            layout, secret: .keyFile(keyFile), at: Timestamp(seconds: 1_700_000_000))
    }

    func slot(_ key: PrivateKey, _ kind: CredentialKind) throws -> KeySlot {
        KeySlot(
            merchant: try MerchantIdentifier("merchant.com.example.shop"), kind: kind,
            publicKeyHash: key.publicKey.sha256)
    }
}

@Suite struct PreparedFolderTests {
    @Test func `a prepared folder that is gone or another does not become a home`() throws {
        let folder = TemporaryFolder()
        let path = folder.file("home")
        try Folder.make(path)
        let prepared = try FileStatus(path)
        try HomeGuard.checkStill(prepared)
        #expect(rename(path, folder.file("away")) == 0)
        #expect(throws: VaultError.homeMoved(path)) { try HomeGuard.checkStill(prepared) }
        try Folder.make(path)
        #expect(throws: VaultError.homeMoved(path)) { try HomeGuard.checkStill(prepared) }
    }
}

@Suite struct MasterFileTests {
    @Test func `the key file opens the home again`() throws {
        let fixture = try VaultFixture()
        let key = try PrivateKey.generate(.ecP256)
        let slot = try fixture.slot(key, .paymentProcessing)
        try fixture.vault.keep(key, certificate: nil, chain: [], in: slot, replacing: false)
        let again = try Vault.open(fixture.layout, secret: .keyFile(fixture.keyFile))
        #expect(try again.key(in: slot).key.publicKey == key.publicKey)
    }

    @Test func `another key file is refused as such`() throws {
        let fixture = try VaultFixture()
        #expect(throws: VaultError.wrongKeyFile) {
            try Vault.open(fixture.layout, secret: .keyFile(.random(count: 32)))
        }
        #expect(throws: VaultError.noSuchUnlocker(.passphrase)) {
            try Vault.open(
                fixture.layout, secret: .passphrase(SecretBytes(copying: Array("x".utf8))))
        }
    }

    @Test func `a passphrase opens the home that was made with it, and no other does`() throws {
        let folder = TemporaryFolder()
        let layout = HomeLayout(path: folder.path)
        let right = SecretBytes(copying: Array("correct horse".utf8))
        _ = try Vault.create(layout, secret: .passphrase(right), at: Timestamp(seconds: 0))
        _ = try Vault.open(layout, secret: .passphrase(right))
        #expect(throws: VaultError.wrongPassphrase) {
            try Vault.open(
                layout, secret: .passphrase(SecretBytes(copying: Array("correct hors".utf8))))
        }
    }

    @Test func `no bit of master json can be changed unnoticed`() throws {
        let fixture = try VaultFixture()
        let path = fixture.layout.master
        let whole = try InputFile.read(path, limit: 100_000)
        // Every letter and digit of a value; blanks and punctuation are not covered.
        for index in stride(from: 0, to: whole.count, by: 5)
        where Character(UnicodeScalar(whole[index])).isNumber {
            var changed = whole
            changed[index] =
                changed[index] == UInt8(ascii: "7") ? UInt8(ascii: "3") : UInt8(ascii: "7")
            try DurableFile.write(changed, to: path, replacing: true)
            #expect(throws: VaultError.self) {
                try Vault.open(fixture.layout, secret: .keyFile(fixture.keyFile))
            }
        }
    }

    @Test(arguments: [
        "", "{}", "{\"version\":2}", "[]",
        "{\"version\":2,\"generation\":1,\"hmac\":\"\",\"unlockers\":[]}",
    ])
    func `a damaged file is told as damaged`(text: String) throws {
        let fixture = try VaultFixture()
        try DurableFile.write(Array(text.utf8), to: fixture.layout.master, replacing: true)
        let error = #expect(throws: VaultError.self) {
            try Vault.open(fixture.layout, secret: .keyFile(fixture.keyFile))
        }
        #expect(error?.code == "vault.master-damaged")
    }

    @Test func `a newer file is refused, and so is a price that no honest file asks`() throws {
        let folder = TemporaryFolder()
        let layout = HomeLayout(path: folder.path)
        let secret = UnlockSecret.passphrase(SecretBytes(copying: Array("x".utf8)))
        _ = try Vault.create(layout, secret: secret, at: Timestamp(seconds: 0))
        let text = String(
            decoding: try InputFile.read(layout.master, limit: 100_000), as: UTF8.self)
        func put(_ text: String) throws {
            try DurableFile.write(Array(text.utf8), to: layout.master, replacing: true)
        }
        for version in [3, 1] {
            try put(text.replacing("\"version\" : 2", with: "\"version\" : \(version)"))
            let error: VaultError = version > 2 ? .masterNewer(version) : .masterOlder(version)
            #expect(throws: error) { try Vault.open(layout, secret: secret) }
        }
        try put(text.replacing("131072", with: "1073741824"))
        #expect(throws: VaultError.masterDamaged("the scrypt parameters are out of bounds")) {
            try Vault.open(layout, secret: secret)
        }
    }

    @Test func `a second vault never replaces the first`() throws {
        let fixture = try VaultFixture()
        #expect(throws: FileError.self) {
            try Vault.create(
                fixture.layout, secret: .keyFile(.random(count: 32)), at: Timestamp(seconds: 0))
        }
        _ = try Vault.open(fixture.layout, secret: .keyFile(fixture.keyFile))
    }
}

@Suite struct KeyFileTests {
    @Test func `a kept key never replaces another file`() throws {
        let fixture = try VaultFixture()
        let key = try PrivateKey.generate(.ecP256)
        let slot = try fixture.slot(key, .paymentProcessing)
        try fixture.vault.keep(key, certificate: nil, chain: [], in: slot, replacing: false)
        #expect(throws: FileError.self) {
            try fixture.vault.keep(key, certificate: nil, chain: [], in: slot, replacing: false)
        }
        #expect(try fixture.layout.slots(of: slot.merchant) == [slot])
    }

    @Test func `a missing, foreign or exposed key file is told apart`() throws {
        let fixture = try VaultFixture()
        let key = try PrivateKey.generate(.ecP256)
        let other = try PrivateKey.generate(.ecP256)
        let slot = try fixture.slot(key, .paymentProcessing)
        let otherSlot = try fixture.slot(other, .paymentProcessing)
        #expect(throws: VaultError.self) { try fixture.vault.key(in: slot) }
        try fixture.vault.keep(key, certificate: nil, chain: [], in: slot, replacing: false)
        // The same bytes under another key's name have another password.
        try DurableFile.write(
            InputFile.read(fixture.layout.bundle(slot), limit: 10_000),
            to: fixture.layout.bundle(otherSlot), replacing: false)
        let error = #expect(throws: VaultError.self) { try fixture.vault.key(in: otherSlot) }
        #expect(error?.code == "vault.key-unreadable")
        chmod(fixture.layout.bundle(slot), 0o644)
        #expect(throws: FileError.self) { try fixture.vault.key(in: slot) }
    }

    @Test func `a side file that was changed is refused`() throws {
        let fixture = try VaultFixture()
        let key = try PrivateKey.generate(.ecP256)
        let slot = try fixture.slot(key, .paymentProcessing)
        try fixture.vault.keep(key, certificate: nil, chain: [], in: slot, replacing: false)
        #expect(try fixture.vault.side(in: slot) == nil)
        let side = SideFile(
            Credential(
                id: .random(), merchant: slot.merchant, realm: .apple, kind: slot.kind,
                state: .requested, custody: .local, provider: nil,
                publicKeyHash: slot.publicKeyHash, keyAlgorithm: "EC P-256", csr: [1, 2],
                certificate: nil, createdAt: Timestamp(seconds: 5), activatedAt: nil))
        try fixture.vault.write(side, in: slot)
        #expect(try fixture.vault.side(in: slot) == side)
        let path = fixture.layout.side(slot)
        let text = String(decoding: try InputFile.read(path, limit: 10_000), as: UTF8.self)
        try DurableFile.write(
            Array(text.replacing("requested", with: "active").utf8), to: path, replacing: true)
        let error = #expect(throws: VaultError.self) { try fixture.vault.side(in: slot) }
        #expect(error?.code == "vault.side-file-damaged")
    }
}
