import Merchants
package import Problems

/// What keeps us from the keys.
package enum VaultError: Explained, Equatable {
    case noHome(_ path: String)
    case homeExists(_ path: String)
    case notOwner(home: String, owner: String, user: String)
    case masterMissing(_ home: String)
    case databaseMissing(_ home: String)
    case homeMoved(_ path: String)
    case strayJournal(_ home: String)
    case masterDamaged(_ what: String)
    case masterNewer(_ version: Int)
    case masterOlder(_ version: Int)
    case masterTooCostly(_ what: String)
    case masterOutdated(generation: Int, known: Int)
    case masterDoubtful(_ slot: String)
    case noUnlocker
    case badKeyFile(length: Int)
    /// All its bytes are the same.
    case uniformKeyFile
    case keyFileInHome
    case emptyPassphrase
    case wrongKeyFile
    case wrongPassphrase
    case wrongRecoveryKey
    /// What was typed where a passphrase and a recovery key are taken.
    case wrongTyped
    case recoveryKeyMistyped(_ what: String)
    case noSuchUnlocker(_ kind: UnlockerKind)
    case keyMissing(_ slot: String)
    case keyUnreadable(_ slot: String)
    case keyMismatch(_ slot: String)
    case sideFileDamaged(_ slot: String)
    case changedMeanwhile(_ path: String)
    case backupDamaged(_ what: String)
    case backupInHome
    case outputInHome
    case homeNotEmpty(_ home: String, found: String)
    case restoreUnfinished(_ home: String)
    case otherRestore(_ home: String)
    case strayLog(_ home: String)
    case noKeyOpens(_ home: String)
    case databaseThere(_ home: String)
    case restoreSpoiled(_ home: String)
    case homeDamaged(_ what: String)
    case backupOfDamage(_ what: String)
    case rotationUnderWay
    case rotationUnfinished
    /// The old vault key is kept for the sake of some keys.
    case rotationHeld(_ count: Int)
    case unlockerUnknown(_ id: String)
    case unlockerInUse(_ id: String)
    case unlockerExists(_ id: String)
    case lastUnlocker(_ id: String)
    case tooManyUnlockers(_ what: String)

    package var code: String {
        switch self {
        case .noHome: "vault.no-home"
        case .homeExists: "vault.home-exists"
        case .notOwner: "vault.not-owner"
        case .masterMissing: "vault.master-missing"
        case .databaseMissing: "vault.database-missing"
        case .homeMoved: "vault.home-moved"
        case .strayJournal: "vault.stray-journal"
        case .masterDamaged: "vault.master-damaged"
        case .masterNewer: "vault.master-newer"
        case .masterOlder: "vault.master-older"
        case .masterTooCostly: "vault.master-too-costly"
        case .masterOutdated: "vault.master-outdated"
        case .masterDoubtful: "vault.master-doubtful"
        case .noUnlocker: "vault.no-unlocker"
        case .badKeyFile: "vault.bad-key-file"
        case .uniformKeyFile: "vault.uniform-key-file"
        case .keyFileInHome: "vault.key-file-in-home"
        case .emptyPassphrase: "vault.empty-passphrase"
        case .wrongKeyFile: "vault.wrong-key-file"
        case .wrongPassphrase: "vault.wrong-passphrase"
        case .wrongRecoveryKey: "vault.wrong-recovery-key"
        case .wrongTyped: "vault.wrong-typed"
        case .recoveryKeyMistyped: "vault.recovery-key-mistyped"
        case .noSuchUnlocker: "vault.no-such-unlocker"
        case .keyMissing: "vault.key-missing"
        case .keyUnreadable: "vault.key-unreadable"
        case .keyMismatch: "vault.key-mismatch"
        case .sideFileDamaged: "vault.side-file-damaged"
        case .changedMeanwhile: "vault.changed-meanwhile"
        case .backupDamaged: "vault.backup-damaged"
        case .backupInHome: "vault.backup-in-home"
        case .outputInHome: "vault.output-in-home"
        case .homeNotEmpty: "vault.home-not-empty"
        case .restoreUnfinished: "vault.restore-unfinished"
        case .otherRestore: "vault.other-restore"
        case .strayLog: "vault.stray-log"
        case .noKeyOpens: "vault.no-key-opens"
        case .databaseThere: "vault.database-there"
        case .restoreSpoiled: "vault.restore-spoiled"
        case .homeDamaged: "vault.home-damaged"
        case .backupOfDamage: "vault.backup-of-damage"
        case .rotationUnderWay: "vault.rotation-under-way"
        case .rotationUnfinished: "vault.rotation-unfinished"
        case .rotationHeld: "vault.rotation-held"
        case .unlockerUnknown: "vault.unlocker-unknown"
        case .unlockerInUse: "vault.unlocker-in-use"
        case .unlockerExists: "vault.unlocker-exists"
        case .lastUnlocker: "vault.last-unlocker"
        case .tooManyUnlockers: "vault.too-many-unlockers"
        }
    }

    package var summary: String {
        switch self {
        case .noHome(let path): "there is no purser home in \(path.suffix(60))"
        case .homeExists(let path): "there is a purser home in \(path.suffix(60)) already"
        case .notOwner(let home, let owner, let user):
            "the home \(home.suffix(40)) belongs to \(owner), not to \(user)"
        case .masterMissing(let home): "master.json is missing from \(home.suffix(60))"
        case .databaseMissing(let home): "purser.db is missing from \(home.suffix(60))"
        case .homeMoved(let path):
            "the folder \(path.suffix(40)) was removed or replaced while the home was being made"
        case .strayJournal(let home):
            "there is a purser.db-journal in \(home.suffix(40)), by which SQLite would undo records"
        case .masterDamaged(let what): "master.json is damaged: \(what)"
        case .masterNewer(let version): "master.json has version \(version), from a newer purser"
        case .masterOlder(let version):
            "master.json has version \(version), from a purser before its first release"
        case .masterOutdated(let generation, let known):
            "master.json has vault key generation \(generation); the home has \(known) already"
        case .masterDoubtful(let slot):
            "\(slot.suffix(50)) does not open; a rotation began that master.json lacks"
        case .masterTooCostly(let what): "trying master.json would take too long: \(what)"
        case .noUnlocker: "this command needs the master key, and none was given"
        case .badKeyFile(let length): "the master key file has \(length) bytes, not 32"
        case .uniformKeyFile: "the key file holds one byte 32 times, which anybody can guess"
        case .keyFileInHome: "the unlocker's file lies inside the home that it is to protect"
        case .emptyPassphrase: "the passphrase is empty"
        case .wrongKeyFile: "this is not the master key file of this home"
        case .wrongPassphrase: "this is not the passphrase of this home"
        case .wrongRecoveryKey: "this is not the recovery key of this home"
        case .wrongTyped: "this is neither the passphrase nor the recovery key of this home"
        case .recoveryKeyMistyped(let what): "this is no recovery key: \(what)"
        case .noSuchUnlocker(.recoveryKey): "this home is not unlocked by a recovery key"
        case .noSuchUnlocker(.keyFile): "this home is not unlocked by a key file"
        case .noSuchUnlocker(.passphrase): "this home is not unlocked by a passphrase"
        case .keyMissing(let slot): "the key file of \(slot) is missing"
        case .keyUnreadable(let slot): "the key file of \(slot) does not open under the vault key"
        case .keyMismatch(let slot): "the key file of \(slot) holds another key than its name says"
        case .sideFileDamaged(let slot): "the side file of \(slot) is damaged or was changed"
        case .changedMeanwhile(let path): "\(path.suffix(60)) became shorter while it was read"
        case .backupDamaged(let what): "this is no sound backup: \(what)"
        case .backupInHome: "the backup would lie inside the home that it is to outlive"
        case .outputInHome:
            "the file would lie inside the home, where only purser's own files belong"
        case .homeNotEmpty(let home, let found):
            "\(home.suffix(40)) is not empty: \(found.suffix(40)) is in it"
        case .restoreUnfinished(let home): "a restore of \(home.suffix(60)) has not finished"
        case .otherRestore(let home):
            "a restore of another backup has not finished in \(home.suffix(40))"
        case .noKeyOpens(let home):
            "none of the keys in \(home.suffix(60)) opens by its master.json"
        case .databaseThere(let home):
            "purser.db is in \(home.suffix(60)): nothing is to be rebuilt"
        case .restoreSpoiled(let home):
            "what an interrupted restore left in \(home.suffix(40)) was changed since"
        case .homeDamaged(let what): "the home's records are damaged: \(what.prefix(70))"
        case .backupOfDamage(let what):
            "the backup is one of damaged records: \(what.prefix(70))"
        case .strayLog(let home):
            "purser.db is missing from \(home.suffix(40)), but its purser.db-wal is there"
        case .rotationUnderWay: "a rotation of the vault key has not finished within our patience"
        case .rotationUnfinished: "a rotation of the vault key was interrupted"
        case .rotationHeld(let count):
            "the old vault key is kept too: \(count) key\(count == 1 ? " is" : "s are") not under the new one"
        case .unlockerUnknown(let id): "the home has no unlocker \(id.prefix(40))"
        case .unlockerInUse(let id): "\(id) is the unlocker that this command opened the home with"
        case .unlockerExists(let id): "this opens the home already, as the unlocker \(id)"
        case .lastUnlocker(let id): "\(id) is the only unlocker of this home"
        case .tooManyUnlockers(let what): "the home has \(what), and no room for more"
        }
    }

    package var remedy: String {
        switch self {
        case .noHome: "make one with: purser --home DIR init, or name it with --home or PURSER_HOME"
        case .homeExists: "use it as it is, or choose another folder with --home"
        case .notOwner(_, let owner, _): "run: sudo -u \(owner) purser …"
        case .databaseMissing:
            "restore a backup into an empty folder, or make records from the keys: purser rebuild"
        case .homeMoved: "find out who did it, make the folder again, and run init again"
        case .strayJournal:
            "stop the service first; move it away and find out who put it there: a home never has one"
        case .masterMissing, .masterDamaged:
            "put master.json back from a backup; without it no key can be opened"
        case .masterNewer: "use the purser that wrote it, or a newer one"
        case .masterOutdated:
            "put back the master.json from after the last rotation of the vault key"
        case .masterDoubtful:
            "put back the newest master.json; if this is it: purser certificate destroy that key"
        case .masterTooCostly:
            "somebody else wrote into it: put master.json back from a backup, and find out who did"
        case .masterOlder: "export the keys with the purser that wrote it, and make the home anew"
        case .noUnlocker:
            "give --master-key-file, --passphrase-file or --recovery-key-file FILE"
        case .badKeyFile: "give a file of exactly 32 raw bytes, as init and unlocker add make them"
        case .uniformKeyFile: "name a file that does not exist: one of random bytes is made"
        case .keyFileInHome:
            "keep it elsewhere, so that a copy of the home is no copy of the unlocker"
        case .emptyPassphrase: "choose a long passphrase, or use a key file"
        case .wrongKeyFile: "give the key file that this home was made with"
        case .wrongPassphrase: "check the passphrase file's contents, or type it again"
        case .wrongRecoveryKey: "look for the recovery key that was printed for this home"
        case .wrongTyped: "type it again; compare a recovery key with the paper, group by group"
        case .recoveryKeyMistyped: "compare it with the paper, group by group, and type it again"
        case .noSuchUnlocker: "run purser unlocker list, and give one of the sorts that it names"
        case .keyMissing, .keyUnreadable, .keyMismatch:
            "put the file back from a backup, or request a new certificate"
        case .sideFileDamaged: "run any command that uses this merchant's keys; it is written again"
        case .changedMeanwhile: "find out what else writes there, and run it again"
        case .backupDamaged: "use another backup; tar -tf FILE lists what is in this one"
        case .backupInHome: "name a file elsewhere, best on another disk"
        case .outputInHome: "name a file elsewhere"
        case .homeNotEmpty: "name another folder with --home, or move away what is in this one"
        case .restoreUnfinished: "run the same again: purser restore FILE"
        case .otherRestore: "run restore with the backup that it was begun with"
        case .noKeyOpens: "put the master.json beside them that they were last used with"
        case .databaseThere:
            "if it is damaged, move it and purser.db-wal away first; see: purser doctor"
        case .restoreSpoiled: "move away all that is in the folder, and run restore again"
        case .homeDamaged: "see what: purser doctor; to copy it as it is, add --accept-damaged"
        case .backupOfDamage: "use an earlier one, or add --accept-damaged and run purser doctor"
        case .strayLog: "put purser.db back beside it; or move it away, and its records are lost"
        case .rotationUnderWay: "wait for it to finish, then run the command again"
        case .rotationUnfinished: "finish it first: purser master-key rotate"
        case .rotationHeld:
            "put each back or destroy its record, and rotate again; or give them up: --forget-unreadable"
        case .unlockerUnknown: "choose one of those that purser unlocker list names"
        case .unlockerInUse: "open the home with another unlocker, and remove this one then"
        case .unlockerExists: "nothing needs to be done; or give another file"
        case .lastUnlocker: "add another one first: purser unlocker add"
        case .tooManyUnlockers: "remove one first: purser unlocker remove ID"
        }
    }

    package var nature: Nature {
        switch self {
        case .noHome: .notFound
        case .homeExists, .homeNotEmpty, .databaseThere, .otherRestore, .unlockerExists:
            .cannotCreate
        case .backupInHome, .outputInHome: .usage
        case .homeMoved, .changedMeanwhile, .rotationUnderWay: .unavailable
        case .notOwner, .wrongKeyFile, .wrongPassphrase, .wrongRecoveryKey, .wrongTyped: .denied
        case .unlockerUnknown: .notFound
        case .backupDamaged, .backupOfDamage, .homeDamaged, .recoveryKeyMistyped,
            .rotationUnfinished, .rotationHeld, .unlockerInUse,
            .lastUnlocker, .tooManyUnlockers:
            .badData
        case .noSuchUnlocker: .denied
        case .masterMissing, .databaseMissing, .strayJournal, .strayLog, .restoreUnfinished,
            .restoreSpoiled, .noKeyOpens,
            .masterDamaged, .masterNewer, .masterOlder, .masterTooCostly, .masterOutdated,
            .masterDoubtful,
            .noUnlocker, .badKeyFile, .uniformKeyFile, .keyFileInHome, .emptyPassphrase:
            .configuration
        case .keyMissing, .keyUnreadable, .keyMismatch, .sideFileDamaged: .internalFault
        }
    }

    package static var examples: [VaultError] {
        let slot = "merchant.com.example.shop merchant-identity 3f9a…"
        return [
            .noHome("/var/lib/purser"), .homeExists("/var/lib/purser"),
            .notOwner(home: "/var/lib/purser", owner: "purser", user: "alice"),
            .masterMissing("/var/lib/purser"), .databaseMissing("/var/lib/purser"),
            .homeMoved("/var/lib/purser"), .strayJournal("/var/lib/purser"),
            .masterDamaged("it is not JSON"), .masterNewer(3), .masterOlder(1),
            .masterOutdated(generation: 1, known: 2), .masterDoubtful(slot),
            .masterTooCostly("1000 unlockers, more than 32"), .noUnlocker, .badKeyFile(length: 31),
            .uniformKeyFile, .keyFileInHome, .emptyPassphrase, .wrongKeyFile, .wrongTyped,
            .wrongPassphrase, .wrongRecoveryKey, .recoveryKeyMistyped("its checksum does not fit"),
            .noSuchUnlocker(.keyFile), .noSuchUnlocker(.passphrase), .noSuchUnlocker(.recoveryKey),
            .keyMissing(slot), .keyUnreadable(slot), .keyMismatch(slot), .sideFileDamaged(slot),
            .changedMeanwhile("/var/lib/purser/purser.db"), .backupDamaged("it ends too early"),
            .backupInHome, .outputInHome,
            .homeNotEmpty("/var/lib/purser", found: "notes.txt"),
            .restoreUnfinished("/var/lib/purser"), .otherRestore("/var/lib/purser"),
            .strayLog("/var/lib/purser"), .noKeyOpens("/var/lib/purser"),
            .databaseThere("/var/lib/purser"),
            .restoreSpoiled("/var/lib/purser"), .homeDamaged("row 3 missing from index"),
            .backupOfDamage("row 3 missing from index"),
            .rotationUnderWay, .rotationUnfinished, .rotationHeld(2),
            .unlockerUnknown("0123456789abcdef"),
            .unlockerInUse("0123456789abcdef"), .unlockerExists("0123456789abcdef"),
            .lastUnlocker("0123456789abcdef"), .tooManyUnlockers("32 unlockers"),
        ]
    }
}
