import Clocks
import Files
import Merchants
import PKI
import TestSupport
import Testing
import Vault

/// The archive's form, against `tar` and Python's `tarfile`.
@Suite struct TarTests {
    private static let longName = "keys/merchant." + String(repeating: "x", count: 241) + "/kind/"

    private static let files: [(path: String, size: Int)] = [
        ("master.json", 0), ("purser.db", 512), ("keys/a/b.p12", 513), ("one", 1), ("big", 70_000),
        (longName + String(repeating: "0", count: 64) + ".p12", 700),
    ]

    private func archive() throws -> [UInt8] {
        var bytes: [UInt8] = []
        let tar = TarWriter(time: 1_800_000_000) { bytes += $0 }
        for (index, file) in Self.files.enumerated() {
            try tar.begin(file.path, size: file.size)
            if file.size > 0 {
                try tar.write([UInt8](repeating: UInt8(index + 1), count: file.size))
            }
        }
        try tar.finish()
        return bytes
    }

    private func read(_ bytes: [UInt8]) throws -> [TarReader.Entry] {
        var offset = 0
        let tar = TarReader { count in
            defer { offset = min(bytes.count, offset + count) }
            return Array(bytes[offset..<min(bytes.count, offset + count)])
        }
        var found: [TarReader.Entry] = []
        while let entry = try tar.next() {
            found.append(entry)
            var contents: [UInt8] = []
            while true {
                let part = try tar.read(1_000)
                if part.isEmpty { break }
                contents += part
            }
            #expect(contents.count == entry.size)
        }
        return found
    }

    @Test func `what is written is read by tar, by Python and by us`() throws {
        let folder = TemporaryFolder()
        let path = folder.write("a.tar", try archive())
        let listed = try ForeignProcess.run("tar", ["-tf", path])
        #expect(listed.status == 0 && listed.errorText.isEmpty)
        #expect(listed.text.split(separator: "\n").map(String.init) == Self.files.map(\.path))
        let script = """
            import sys, tarfile
            for m in tarfile.open(sys.argv[1]):
                data = tarfile.open(sys.argv[1]).extractfile(m.name).read()
                print(m.name, m.size, m.isreg(), oct(m.mode), m.mtime, set(data))
            """
        let python = try ForeignProcess.run("python3", ["-c", script, path])
        let lines = Self.files.enumerated().map { index, file in
            "\(file.path) \(file.size) True 0o600 1800000000 "
                + (file.size == 0 ? "set()" : "{\(index + 1)}")
        }
        #expect(python.text == lines.joined(separator: "\n") + "\n", "\(python.errorText)")
        #expect(try read(archive()).map(\.path) == Self.files.map(\.path))
        #expect(try read(archive()).map(\.size) == Self.files.map(\.size))
    }

    @Test func `a size beyond the old header is told in an extended one`() throws {
        var bytes: [UInt8] = []
        let tar = TarWriter(time: 0) { bytes += $0 }
        let size = 9 << 30
        try tar.begin("purser.db", size: size)
        let folder = TemporaryFolder()
        let listed = try ForeignProcess.run("tar", ["-tvf", folder.write("a.tar", bytes)])
        #expect(listed.text.contains(" \(size) "))
        var offset = 0
        let reader = TarReader { count in
            defer { offset += count }
            return Array(bytes[offset..<offset + count])
        }
        let entry = try reader.next()
        #expect(entry?.path == "purser.db" && entry?.size == size)
    }

    @Test func `archives of others are refused, and so is every one that ends too early`() throws {
        let folder = TemporaryFolder()
        let script = """
            cd "$1" && echo x >plain && mkdir folder && ln -s /etc/passwd link && ln plain hard
            mkfifo pipe
            for name in folder link pipe; do tar -cf $name.tar --format=pax $name; done
            tar -cf hard.tar plain hard
            tar -cf gnu.tar --format=gnu plain; tar -cf v7.tar --format=v7 plain
            tar -cf xattr.tar --format=pax --pax-option=comment=hello plain
            """
        #expect(try ForeignProcess.run("sh", ["-c", script, "sh", folder.path]).status == 0)
        for name in ["folder", "link", "pipe", "hard", "gnu", "v7", "xattr"] {
            let bytes = folder.read("\(name).tar")
            #expect(!bytes.isEmpty)
            #expect(throws: VaultError.self, "\(name)") { try read(bytes) }
        }
        let whole = try archive()
        for count in stride(from: 0, to: whole.count - 1_024, by: 97) {
            #expect(throws: VaultError.backupDamaged("it ends too early")) {
                try read(Array(whole[..<count]))
            }
        }
    }

    @Test(arguments: [
        "", "/etc/passwd", "../master.json", "keys/../master.json", "keys//a", "master.json/",
        "./master.json", "keys/merchant.com.example/merchant-identity/../x.p12", "keys/.lock",
        "anchors/apple/" + String(repeating: "A", count: 64) + ".pem",
        "anchors/../" + String(repeating: "a", count: 64) + ".pem",
        "keys/merchant.com.example/other-kind/" + String(repeating: "a", count: 64) + ".p12",
        "keys/nobody/merchant-identity/" + String(repeating: "a", count: 64) + ".p12",
        "keys/merchant.com.example/merchant-identity/" + String(repeating: "a", count: 63) + ".p12",
        "purser.db-wal", "purser.db-journal", "manifest.json\u{0}",
    ])
    func `a name that no home has is no member of a backup`(_ path: String) {
        #expect(BackupMember(path) == nil)
    }

    @Test func `every member's path is read back as that member`() throws {
        let slot = KeySlot(
            merchant: try MerchantIdentifier("merchant.com.example.shop"), kind: .merchantIdentity,
            publicKeyHash: [UInt8](repeating: 0xAB, count: 32))
        let members: [BackupMember] = [
            .master, .settings, .database, .manifest, .bundle(slot), .side(slot),
            .anchor(.apple, fingerprint: String(repeating: "0a", count: 32)),
        ]
        for member in members { #expect(BackupMember(member.path) == member) }
    }
}
