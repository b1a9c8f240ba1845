import Files
import Merchants
import Vault

/// Nothing lies in the home that Purser has not put there.
enum NamesCheck {
    static let check = Check("names") { patient in
        var findings = Findings("names")
        for entry in HomeTree(patient.layout).entries where !belongs(entry.parts) {
            if entry.path == patient.layout.restoring.path
                || entry.path == patient.layout.restored.path
            {
                findings.add(
                    .warning, entry.path, "a restore of this home did not finish",
                    remedy: "run the same again: purser restore FILE")
                continue
            }
            // Below a folder that does not belong, one finding is enough.
            guard entry.parts.count == 1 || belongs(entry.parts.dropLast()) else { continue }
            findings.add(
                .warning, entry.path, "this does not belong into a home",
                remedy: "find out what it is, and move it away")
        }
        return findings.all
    }

    /// Whether something of this name, in a folder that belongs, may be there.
    private static func belongs(_ parts: some Collection<String>) -> Bool {
        let parts = Array(parts)
        guard let name = parts.last else { return true }
        // What a crash leaves is told by another check.
        if name.hasPrefix(DurableFile.temporaryPrefix) { return true }
        switch (parts.first, parts.count) {
        case ("keys", 1), ("anchors", 1): return true
        case (_, 1):
            return name.hasPrefix("purser.db.new-")
                || [
                    "purser.json5", "purser.db", "purser.db-wal", "purser.db-shm",
                    "purser.db-journal", "master.json", "watch.lock",
                    ".renew.lock",
                ].contains(name)
        case ("keys", 2): return name == ".lock" || (try? MerchantIdentifier(name)) != nil
        case ("keys", 3): return CredentialKind(rawValue: name) != nil
        case ("keys", 4): return isFingerprint(name, endingIn: ".p12", ".json")
        case ("anchors", 2): return (try? RealmName(name)) != nil
        case ("anchors", 3): return isFingerprint(name, endingIn: ".pem")
        default: return false
        }
    }

    private static func isFingerprint(_ name: String, endingIn endings: String...) -> Bool {
        endings.contains { ending in
            let stem = name.dropLast(ending.count)
            return name.hasSuffix(ending) && stem.utf8.count == 64
                && stem.allSatisfy { "0123456789abcdef".contains($0) }
        }
    }
}
