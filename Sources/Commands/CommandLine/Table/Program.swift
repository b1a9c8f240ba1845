import Settings

/// What help and manual page say about the program as a whole.
enum Program {
    static let name = "purser"
    static let version = "0.1.0"
    /// When the commands last changed; the manual page's date.
    static let date = "November 30, 2026"
    static let summary = "keep a shop's Apple Pay papers: merchants, certificates, keys, sessions"
    static let defaultHome = "/var/lib/purser"

    static let discussion = [
        "Purser tracks Apple Pay merchant identifiers and their certificates, makes keys and "
            + "certificate requests, keeps the keys encrypted, warns before anything expires, and "
            + "answers the checkout's request for a merchant session by mutual TLS to Apple."
    ]

    static let flagRules = [
        "Global flags stand before or after the command; a command's own flags stand after it. "
            + "A value follows its flag as the next word or after an equals sign. Two hyphens "
            + "alone end the flags. The same flag may be repeated with the same value.",
        "A flag beats an environment variable, which beats the settings file, which beats the "
            + "default; purser config show prints each value with its source.",
    ]

    /// Every variable that is read: the home, each setting's, and the service manager's.
    static let environment =
        [Entry("PURSER_HOME", "the home, where --home is not given")]
        + Settings.variables.map {
            // A setting is described by a sentence, an entry by a phrase.
            Entry($0.name, $0.summary.hasSuffix(".") ? String($0.summary.dropLast()) : $0.summary)
        } + [
            Entry("CREDENTIALS_DIRECTORY", "set by systemd: where its credentials are looked for"),
            Entry("NOTIFY_SOCKET", "set by systemd: where serve tells that it is ready"),
            Entry("WATCHDOG_USEC", "set by systemd: how often serve must say that it is alive"),
            Entry("WATCHDOG_PID", "set by systemd: the process that WATCHDOG_USEC is meant for"),
            Entry("LISTEN_FDS", "set by systemd: how many sockets it passes to serve"),
            Entry("LISTEN_FDNAMES", "set by systemd: their names"),
            Entry("LISTEN_PID", "set by systemd: the process that LISTEN_FDS is meant for"),
        ]

    static let files = [
        Entry("purser.json5", "settings, all optional"),
        Entry("purser.db", "records and the ledger (SQLite)"),
        Entry("master.json", "the vault keys, sealed; without it no key can be opened"),
        Entry("keys/", "one encrypted PKCS#12 file for each private key, with its side file"),
        Entry("anchors/", "trust roots"),
    ]

    static let security = [
        "No secret is taken from the command line or from an environment variable's value: both "
            + "are visible to other processes. Keys, passphrases and passwords come from files, "
            + "from systemd credentials, or from the terminal without echo. What opens the home is "
            + "refused in a file that others have access to; a private key or a password in one draws "
            + "a warning.",
        "Private keys are encrypted at rest and leave the home only by certificate export. What "
            + "is printed from certificates and files has its control characters escaped.",
        "A command run as root opens the files named by its flags and then changes to the home's "
            + "owner before it touches the home.",
    ]

    /// A name with what it means.
    struct Entry: Sendable {
        let name: String
        let meaning: String

        init(_ name: String, _ meaning: String) {
            self.name = name
            self.meaning = meaning
        }
    }
}
