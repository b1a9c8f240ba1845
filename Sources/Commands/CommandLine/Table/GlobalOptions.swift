/// The flags that every verb understands, before and after its words.
struct GlobalOptions: Sendable, Equatable {
    /// `--home DIR`, as given.
    var home: String?
    /// `--config FILE`, as given.
    var config: String?
    /// `--json`.
    var json = false
    /// `--master-key-file FILE`, as given.
    var masterKeyFile: String?
    /// `--passphrase-file FILE`, as given.
    var passphraseFile: String?
    /// `--recovery-key-file FILE`, as given.
    var recoveryKeyFile: String?

    static let homeOption = Option(
        "home", "DIR",
        "the folder that holds keys and records (default: $PURSER_HOME, then "
            + "\(Program.defaultHome))", kind: .folder)
    static let configOption = Option(
        "config", "FILE", "settings to read instead of purser.json5 in the home", kind: .file)
    static let jsonOption = Option(
        flag: "json", "print one JSON value; a failure is printed as {\"error\": ...}")
    static let masterKeyFileOption = Option(
        "master-key-file", "FILE",
        "the key file that opens the vault: 32 raw bytes, mode 0600 "
            + "(default: $PURSER_MASTER_KEY_FILE)", kind: .file)
    static let passphraseFileOption = Option(
        "passphrase-file", "FILE",
        "a file with the passphrase that opens the vault; one trailing "
            + "line end is not part of it (default: $PURSER_PASSPHRASE_FILE)", kind: .file)
    static let recoveryKeyFileOption = Option(
        "recovery-key-file", "FILE",
        "a file with the recovery key that opens the vault, as it was printed "
            + "(default: $PURSER_RECOVERY_KEY_FILE)", kind: .file)
    static let helpOption = Option(flag: "help", "show the help of the program or of the command")
    static let versionOption = Option(flag: "version", "print the version")

    /// All of them, in the order in which they are listed.
    static let all = [
        homeOption, configOption, jsonOption, masterKeyFileOption, passphraseFileOption,
        recoveryKeyFileOption, helpOption, versionOption,
    ]

    /// The one flag with a single letter.
    static let shortHelp = "-h"

    init() {}

    init(_ values: ParsedValues) {
        home = values[Self.homeOption]
        config = values[Self.configOption]
        json = values.isSet(Self.jsonOption)
        masterKeyFile = values[Self.masterKeyFileOption]
        passphraseFile = values[Self.passphraseFileOption]
        recoveryKeyFile = values[Self.recoveryKeyFileOption]
    }
}
