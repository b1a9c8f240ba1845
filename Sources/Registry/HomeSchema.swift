package import Database
import Ledger

/// The schema of a home's database, as every program opens it.
///
/// A released step is never changed; a new one only adds (see `Migrations`). Times are seconds
/// since 1970 UTC; lists are JSON arrays; Apple's four environments are code and never rows.
package enum HomeSchema {
    /// What `DatabaseFile.open` takes.
    package static let migrations = Migrations([
        "\(environments)\(merchants)\(credentials)\(certificates)\(watch)\(tallies)\(tokens)\(appleProxies)\(Ledger.schema)"
    ])

    private static let environments: SQL = """
        CREATE TABLE environments (
            name TEXT PRIMARY KEY,
            realm TEXT NOT NULL CHECK (realm <> 'apple'),
            gateway TEXT NOT NULL,
            gateway_ca TEXT,
            proxy TEXT
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX environments_by_realm ON environments (realm);

        CREATE TABLE realm_roots (
            realm TEXT NOT NULL,
            fingerprint TEXT NOT NULL CHECK (length(fingerprint) = 64),
            subject TEXT NOT NULL,
            PRIMARY KEY (realm, fingerprint)
        ) STRICT, WITHOUT ROWID;

        """

    // An environment of a merchant may be one of Apple's, so it is no foreign key; `Environments`
    // sees to it that none in use is removed.
    private static let merchants: SQL = """
        CREATE TABLE merchants (
            id TEXT PRIMARY KEY,
            realm TEXT NOT NULL,
            name TEXT,
            display_name TEXT,
            team TEXT,
            owners TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            retired_at INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX merchants_by_realm ON merchants (realm);

        CREATE TABLE merchant_environments (
            merchant TEXT NOT NULL REFERENCES merchants (id),
            position INTEGER NOT NULL,
            environment TEXT NOT NULL,
            PRIMARY KEY (merchant, position),
            UNIQUE (merchant, environment)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX merchant_environments_by_name ON merchant_environments (environment);

        CREATE TABLE domains (
            merchant TEXT NOT NULL REFERENCES merchants (id),
            domain TEXT NOT NULL,
            added_at INTEGER NOT NULL,
            proven_at INTEGER,
            refused_at INTEGER,
            refusal TEXT,
            PRIMARY KEY (merchant, domain)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX domains_by_name ON domains (domain);

        CREATE TABLE association_files (
            merchant TEXT NOT NULL,
            domain TEXT NOT NULL,
            bytes BLOB NOT NULL CHECK (length(bytes) BETWEEN 1 AND 65536),
            form TEXT NOT NULL CHECK (form IN ('portal', 'platform')),
            team TEXT,
            provider TEXT,
            version INTEGER NOT NULL,
            created_at INTEGER,
            verified INTEGER NOT NULL CHECK (verified IN (0, 1)),
            added_at INTEGER NOT NULL,
            PRIMARY KEY (merchant, domain),
            FOREIGN KEY (merchant, domain) REFERENCES domains (merchant, domain) ON DELETE CASCADE
        ) STRICT;
        CREATE INDEX association_files_by_name ON association_files (domain);

        """

    // The two partial indexes are the rules "at most one identity selected per merchant" and "one
    // active payment processing certificate" (TN3206), for whoever comes by another way.
    private static let credentials: SQL = """
        CREATE TABLE credentials (
            id TEXT PRIMARY KEY CHECK (length(id) = 12),
            merchant TEXT NOT NULL REFERENCES merchants (id),
            kind TEXT NOT NULL CHECK (
                kind IN ('merchant-identity', 'payment-processing', 'payment-processing-rsa')),
            state TEXT NOT NULL CHECK (
                state IN ('requested', 'issued', 'active', 'retiring', 'retired', 'abandoned',
                    'revoked', 'destroyed')),
            custody TEXT NOT NULL CHECK (custody IN ('local', 'provider')),
            provider TEXT CHECK ((provider IS NOT NULL) = (custody = 'provider')),
            public_key_hash BLOB NOT NULL CHECK (length(public_key_hash) = 32),
            key_algorithm TEXT NOT NULL,
            csr BLOB,
            created_at INTEGER NOT NULL,
            activated_at INTEGER,
            state_changed_at INTEGER NOT NULL,
            retiring_since INTEGER CHECK (
                (retiring_since IS NOT NULL) = (state = 'retiring')),
            rolled_back_at INTEGER,
            last_token_at INTEGER,
            side_file_due INTEGER NOT NULL DEFAULT 0 CHECK (side_file_due IN (0, 1)),
            UNIQUE (merchant, kind, public_key_hash)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX credentials_in_order ON credentials (merchant, kind, created_at, id);
        CREATE INDEX credentials_by_key ON credentials (public_key_hash);
        CREATE INDEX credentials_side_file_due ON credentials (merchant) WHERE side_file_due = 1;
        CREATE UNIQUE INDEX one_active_identity ON credentials (merchant)
            WHERE state = 'active' AND kind = 'merchant-identity' AND custody = 'local';
        CREATE UNIQUE INDEX one_active_processing ON credentials (merchant, kind)
            WHERE state = 'active' AND kind <> 'merchant-identity';

        """

    private static let certificates: SQL = """
        CREATE TABLE certificates (
            fingerprint TEXT PRIMARY KEY CHECK (length(fingerprint) = 64),
            credential TEXT NOT NULL REFERENCES credentials (id),
            der BLOB NOT NULL,
            subject TEXT NOT NULL,
            serial TEXT NOT NULL,
            not_before INTEGER NOT NULL,
            not_after INTEGER NOT NULL,
            team TEXT,
            issuer_verified INTEGER NOT NULL CHECK (issuer_verified IN (0, 1)),
            added_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX certificates_longest_first
            ON certificates (credential, not_after DESC, not_before DESC, fingerprint, team);

        """

    // What the watch has seen and told. `observations` are the newest outcome of each check of
    // something beyond the database; alerts are never removed, so that what was told can be shown.
    private static let watch: SQL = """
        CREATE TABLE observations (
            sort TEXT NOT NULL,
            subject TEXT NOT NULL,
            outcome TEXT NOT NULL,
            detail TEXT NOT NULL,
            at INTEGER NOT NULL,
            since INTEGER NOT NULL,
            PRIMARY KEY (sort, subject)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE alerts (
            id TEXT PRIMARY KEY CHECK (length(id) = 12),
            merchant TEXT REFERENCES merchants (id),
            kind TEXT,
            policy TEXT NOT NULL,
            episode TEXT NOT NULL,
            stage TEXT NOT NULL,
            urgency TEXT NOT NULL CHECK (urgency IN ('fine', 'warning', 'critical')),
            summary TEXT NOT NULL,
            remedy TEXT NOT NULL,
            deadline INTEGER,
            raised_at INTEGER NOT NULL,
            staged_at INTEGER NOT NULL,
            resolved_at INTEGER,
            acknowledged_at INTEGER,
            acknowledged_by TEXT,
            acknowledged_stage TEXT
        ) STRICT;
        CREATE INDEX alerts_open ON alerts (merchant, kind, policy) WHERE resolved_at IS NULL;

        CREATE TABLE alert_deliveries (
            alert TEXT NOT NULL REFERENCES alerts (id),
            channel TEXT NOT NULL,
            stage TEXT,
            told_at INTEGER,
            recovery_told_at INTEGER,
            failures INTEGER NOT NULL DEFAULT 0,
            failing_since INTEGER,
            next_attempt_at INTEGER,
            last_error TEXT,
            PRIMARY KEY (alert, channel)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX alert_deliveries_untold ON alert_deliveries (alert)
            WHERE recovery_told_at IS NULL;

        """

    // What each sort of channel (`mail` of `mail:ops@example.com`) has taken and refused in all, for
    // metrics: deliveries keep the newest alone. Counted here, so that no writer can forget it.
    private static let tallies: SQL = """
        CREATE TABLE alert_tallies (
            channel TEXT PRIMARY KEY,
            sent INTEGER NOT NULL,
            failed INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TRIGGER alert_first_tried AFTER INSERT ON alert_deliveries
        BEGIN
            INSERT INTO alert_tallies (channel, sent, failed) VALUES (
                substr(NEW.channel, 1, instr(NEW.channel || ':', ':') - 1),
                (NEW.told_at IS NOT NULL) + (NEW.recovery_told_at IS NOT NULL),
                NEW.failures > 0)
            ON CONFLICT (channel) DO UPDATE SET
                sent = sent + excluded.sent, failed = failed + excluded.failed;
        END;
        CREATE TRIGGER alert_tried AFTER UPDATE ON alert_deliveries
        BEGIN
            INSERT INTO alert_tallies (channel, sent, failed) VALUES (
                substr(NEW.channel, 1, instr(NEW.channel || ':', ':') - 1),
                (NEW.told_at IS NOT NULL AND NEW.told_at IS NOT OLD.told_at)
                    + (NEW.recovery_told_at IS NOT NULL
                        AND NEW.recovery_told_at IS NOT OLD.recovery_told_at),
                NEW.failures > OLD.failures)
            ON CONFLICT (channel) DO UPDATE SET
                sent = sent + excluded.sent, failed = failed + excluded.failed;
        END;

        """

    // What is kept of an API token: never the token. Its uses change often and are no acts.
    private static let tokens: SQL = """
        CREATE TABLE api_tokens (
            id TEXT PRIMARY KEY CHECK (length(id) = 12),
            hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
            roles TEXT NOT NULL,
            merchants TEXT NOT NULL,
            networks TEXT NOT NULL,
            note TEXT,
            created_at INTEGER NOT NULL,
            expires_at INTEGER,
            revoked_at INTEGER,
            last_used_at INTEGER,
            last_used_from TEXT
        ) STRICT, WITHOUT ROWID;

        """

    // What an installation sets of Apple's four; an operator's environment has a column for it.
    private static let appleProxies: SQL = """
        CREATE TABLE apple_proxies (
            environment TEXT PRIMARY KEY,
            proxy TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;

        """
}
