import Database
import Files
import Issuance
import Merchants
import Registry
import Vault

/// Every key's file has a record, every record its file, and nothing is half written.
enum OrphansCheck {
    static let check = Check("keys-and-records", needs: [.records]) { patient in
        guard case .open(let home) = patient.records else { return [] }
        var findings = Findings("keys-and-records")
        let lock = patient.layout.keysLock
        // A key that a command is about to record is no orphan. The lock's file is not made here.
        guard let status = try FileStatus.ifPresent(lock), status.isFile else {
            try await look(at: home, &findings)
            return findings.all
        }
        let held: FileLock?
        do throws(FileError) {
            held = try FileLock.tryTake(lock, .exclusive)
        } catch {
            // On a read-only disk no command is at work; and what is wrong with it stands elsewhere.
            try await look(at: home, &findings)
            return findings.all
        }
        guard let held else {
            findings.add(
                .ok, lock, "a command is at work with the keys, so they were not compared",
                remedy: "run it again: purser doctor")
            return findings.all
        }
        defer { withExtendedLifetime(held) {} }
        try await look(at: home, &findings)
        return findings.all
    }

    private static func look(at home: OpenHome, _ findings: inout Findings) async throws {
        let layout = home.layout
        let (merchants, credentials, due) = try await home.database.read { transaction in
            let merchants = try MerchantRecords.list(in: transaction).map(\.identifier)
            return (
                Set(merchants), try Credentials.list(in: transaction),
                Set(
                    try merchants.flatMap {
                        try Credentials.withSideFileDue(of: $0, in: transaction).map(\.id)
                    })
            )
        }
        let records = Dictionary(
            credentials.map { (KeySlot($0), $0) }, uniquingKeysWith: { first, _ in first })
        var files: Set<KeySlot> = []
        for merchant in try layout.merchantsWithKeys() {
            files.formUnion(try layout.slots(of: merchant))
        }
        for slot in files.sorted(by: { layout.bundle($0) < layout.bundle($1) }) {
            findings.judge(file: slot, layout.bundle(slot), records[slot], merchants, due)
        }
        for (slot, credential) in records.sorted(by: { $0.value.id < $1.value.id })
        where credential.custody == .local && credential.state != .destroyed
            && !files.contains(slot)
        {
            findings.add(
                .critical, credential.id.text,
                "the key of this \(credential.state.rawValue) credential is missing: "
                    + "\(slot.fingerprint.prefix(12))….p12",
                remedy: "put the file back from a backup, or request a new certificate")
        }
        for entry in HomeTree(layout).entries where isUnfinished(entry) {
            findings.add(
                .warning, entry.path, "a command that died has left this half written",
                remedy: "the next command with the master key for its merchant removes it")
        }
    }

    private static func isUnfinished(_ entry: HomeTree.Entry) -> Bool {
        guard let name = entry.parts.last else { return false }
        return name.hasPrefix(DurableFile.temporaryPrefix) || name.hasPrefix("purser.db.new-")
    }
}

extension Findings {
    /// Says what is wrong with a key's file, given the record of its slot.
    fileprivate mutating func judge(
        file slot: KeySlot, _ path: String, _ record: Credential?,
        _ merchants: Set<MerchantIdentifier>, _ due: Set<CredentialIdentifier>
    ) {
        guard let record else {
            if merchants.contains(slot.merchant) {
                add(
                    .warning, path, "this key has no record: the command that made it died",
                    remedy: "the next command with the master key for \(slot.merchant) records it")
            } else {
                add(
                    .critical, path, "this key's merchant is not on record",
                    remedy: "if it is yours, add it: purser merchant add \(slot.merchant)")
            }
            return
        }
        switch (record.custody, record.state) {
        case (.provider, _):
            add(
                .warning, path, "this key is here, and its record says that a provider holds it",
                remedy: "the next command with the master key for \(slot.merchant) takes it over")
        case (.local, .destroyed) where due.contains(record.id):
            add(
                .warning, path, "this key is to be destroyed: the command that began it died",
                remedy: "finish it: purser certificate destroy \(record.id)")
        case (.local, .destroyed):
            add(
                .critical, path, "this key was destroyed, and has come back from a copy",
                remedy: "wipe it: purser certificate destroy \(record.id)")
        default: break
        }
    }
}
