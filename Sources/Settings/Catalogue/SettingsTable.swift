/// The table of all settings, in the order in which they are shown and documented.
///
/// Names, bounds, environment variables, flags, `config show` and the documentation come from here;
/// the defaults are those of ``Settings``.
enum SettingsTable {
    static let all: [Setting] = [
        .addresses(
            "listen", \.listen, flag: "listen",
            "Where purser serve listens: a numeric address or localhost, with a port, or unix:/path."
        ),
        .integer(
            "session.connectTimeoutSeconds", \.session.connectTimeoutSeconds, 1...30,
            "How long connecting to Apple's gateway may take."),
        .integer(
            "session.totalTimeoutSeconds", \.session.totalTimeoutSeconds, 1...30,
            "How long a merchant session may take in all, a retry included."),
        .choice(
            "session.addressFamily", \.session.addressFamily,
            "The version of IP that Apple's gateways are reached by."),
        .integer(
            "serve.drainSeconds", \.serve.drainSeconds, 0...600,
            "How long requests in flight may take after SIGTERM."),
        .integer(
            "serve.maximumBodyBytes", \.serve.maximumBodyBytes, 1_024...1_048_576,
            "The largest body of a request that is read."),
        .integer(
            "serve.maximumInFlight", \.serve.maximumInFlight, 1...100_000,
            "Requests answered at the same time; further ones are told to come again."),
        .integer(
            "serve.maximumConnections", \.serve.maximumConnections, 1...100_000,
            "Open connections, at most half of the limit of open files."),
        .integer(
            "serve.requestTimeoutSeconds", \.serve.requestTimeoutSeconds, 1...120,
            "How long an answer may take before the client is told 504."),
        .integer(
            "serve.workers", \.serve.workers, 0...64,
            "Threads that answer requests; 0 is one for each processor, 8 at most."),
        // At most half a second, so that a change is in force within one.
        .integer(
            "serve.reloadIntervalMilliseconds", \.serve.reloadIntervalMilliseconds, 10...500,
            "How often changes made by the command line are looked for."),
        .texts(
            "serve.trustedProxies", \.serve.trustedProxies, .proxy,
            "Reverse proxies whose X-Forwarded-For tells where a caller is."),
        .texts(
            "serve.socketUsers", \.serve.socketUsers, .user,
            "Users who may ask by the Unix socket without a token, beside root and the service's own."
        ),
        .integer(
            "limits.tokenRequests", \.limits.tokenRequests, 0...100_000,
            "Requests a second of one API token; 0 is no limit."),
        .integer(
            "limits.merchantRequests", \.limits.merchantRequests, 0...100_000,
            "Sessions a second of one merchant; 0 is no limit."),
        .integer(
            "check.dueDays", \.check.dueDays, 1...365,
            "Days before an expiry at which purser renew begins a rotation."),
        .integer(
            "check.warningDays", \.check.warningDays, 1...365,
            "Days before an expiry at which purser check warns."),
        .integer(
            "check.criticalDays", \.check.criticalDays, 1...365,
            "Days before an expiry at which purser check says critical."),
        .windows(
            "check.windows", \.check.windows,
            "Other days for some, such as 'payment-processing due=90 warning=45'."),
        .integer(
            "rotation.graceDays", \.rotation.graceDays, 0...365,
            "Days that a superseded identity is kept as the way back."),
        .integer(
            "rotation.quietDays", \.rotation.quietDays, 0...365,
            "Days without a payment token before a superseded processing key is retired."),
        .integer(
            "rotation.retentionDays", \.rotation.retentionDays, 0...3_650,
            "Days that a retired processing key is kept before it may be destroyed."),
        .integer(
            "rotation.stallDays", \.rotation.stallDays, 1...365,
            "Days without a step after which a rotation counts as stalled."),
        .text(
            "alerts.mail.server", \.alerts.mail.server, .url(["smtps://", "smtp://"]),
            "The mail server that alerts are handed in at; smtp:// demands STARTTLS."),
        .choice(
            "alerts.mail.encryption", \.alerts.mail.encryption,
            "With none an smtp:// server on this machine is spoken to without TLS."),
        .text(
            "alerts.mail.from", \.alerts.mail.from, .mailAddress,
            "The sender of alerts by mail."),
        .text(
            "alerts.mail.user", \.alerts.mail.user, .line,
            "A user at the mail server."),
        .path(
            "alerts.mail.passwordFile", \.alerts.mail.passwordFile, orCredential: true,
            "The file with that user's password, or credential:NAME from systemd."),
        .texts(
            "alerts.mail.security", \.alerts.mail.security, .mailAddress,
            "Who gets every alert by mail, beside each merchant's owners."),
        .path(
            "alerts.mail.caFile", \.alerts.mail.caFile,
            "Roots (PEM) that the mail server is verified to, in place of the machine's."),
        .text(
            "alerts.webhook.url", \.alerts.webhook.url, .webAddress,
            "Where alerts are posted to as JSON."),
        .path(
            "alerts.webhook.secretFile", \.alerts.webhook.secretFile, orCredential: true,
            "The file with the secret that signs what is posted, or credential:NAME from systemd."),
        .path(
            "alerts.webhook.caFile", \.alerts.webhook.caFile,
            "Roots (PEM) that the webhook's server is verified to."),
        .path(
            "alerts.textfile", \.alerts.textfile,
            "A file for open alerts in Prometheus's text form, such as node_exporter reads."),
        .text(
            "alerts.heartbeat.url", \.alerts.heartbeat.url, .webAddress,
            "Where a sign of life is posted to after each round of the watch."),
        .path(
            "alerts.heartbeat.caFile", \.alerts.heartbeat.caFile,
            "Roots (PEM) that the heartbeat's server is verified to."),
        .integer(
            "watch.everySeconds", \.watch.everySeconds, 10...86_400,
            "Seconds between rounds of purser watch, without --once."),
        .integer(
            "watch.inServe", \.watch.inServe, 0...86_400,
            "Seconds between rounds of the watch within purser serve; 0 is none."),
        .integer(
            "watch.rehearseHours", \.watch.rehearseHours, 0...720,
            "Hours after which the watch rehearses an identity in use again; 0 is never."),
        .integer(
            "watch.domainHours", \.watch.domainHours, 0...720,
            "Hours after which the watch looks at a domain's site again; 0 is never."),
        .choice("log.level", \.log.level, "The least important line that is logged."),
        .path(
            "masterKeyFile", \.masterKeyFile, flag: "master-key-file",
            "The file of 32 raw bytes that unlocks the vault."),
        .path(
            "passphraseFile", \.passphraseFile, flag: "passphrase-file",
            "The file with the passphrase that unlocks the vault."),
        .path(
            "recoveryKeyFile", \.recoveryKeyFile, flag: "recovery-key-file",
            "The file with the recovery key that unlocks the vault."),
    ]

    /// The sections: what stands before each dot, such as `alerts` and `alerts.mail`.
    static let sections = Set(
        all.flatMap { setting in
            setting.key.indices.filter { setting.key[$0] == "." }.map {
                String(setting.key[..<$0])
            }
        })
}
