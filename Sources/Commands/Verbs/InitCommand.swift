/// `purser init`.
enum InitCommand {
    static let verb = Verb(
        "init", summary: "make a home: vault key, records, and the ledger's first entry",
        discussion: [
            "The key file named by --master-key-file is used if it exists and made if it does not; with "
                + "--passphrase-file, or on a terminal, a passphrase opens the vault instead. An existing "
                + "home is refused with status 73.",
            "Without the key file or the passphrase nothing in the home can be opened, by anybody. Keep "
                + "a copy of it, and of master.json, away from this machine.",
        ],
        examples: [
            Example(
                "purser init --home /srv/purser --master-key-file /etc/purser/master.key",
                "make a home whose vault a key file opens")
        ],
        needs: .nothing, run: run)

    static func run(_ invocation: Invocation) async throws {
        // BODY: not written yet.
    }
}
