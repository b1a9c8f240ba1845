import Database
import Merchants

/// The one query by which credentials are read, each with the certificate in use.
///
/// Of several certificates for a key the one valid longest is in use. CROSS JOIN keeps SQLite from
/// turning the loops round: credentials come in the order of their index, without sorting.
enum CredentialQuery {
    static let certificateColumns: SQL = """
        x.fingerprint, x.der, x.subject, x.serial, x.not_before, x.not_after, x.team,
        x.issuer_verified
        """

    static let timeColumns: SQL = """
        c.state_changed_at, c.retiring_since, c.rolled_back_at, c.last_token_at
        """

    private static let columns: SQL = """
        c.id, c.merchant, m.realm, c.kind, c.state, c.custody, c.provider, c.public_key_hash,
        c.key_algorithm, c.csr, c.created_at, c.activated_at, \(timeColumns),
        \(certificateColumns)
        """

    private static let longest: SQL = """
        x.fingerprint = (
            SELECT fingerprint FROM certificates WHERE credential = c.id
            ORDER BY not_after DESC, not_before DESC, fingerprint LIMIT 1)
        """

    /// Every credential, with or without a certificate; takes a WHERE and ``order``.
    static let all: SQL = """
        SELECT \(columns) FROM credentials AS c CROSS JOIN merchants AS m ON m.id = c.merchant
        LEFT JOIN certificates AS x ON \(longest)
        """

    static let order: SQL = "ORDER BY c.merchant, c.kind, c.created_at, c.id"

    static func read(_ row: borrowing Row) throws -> Credential {
        let isCertified = try row.optionalText("fingerprint") != nil
        return Credential(
            id: try row.credential("id"), merchant: try row.merchant("merchant"),
            realm: try row.realm("realm"), kind: try row.oneOf("kind"),
            state: try row.oneOf("state"), custody: try row.oneOf("custody"),
            provider: try row.optionalText("provider"),
            publicKeyHash: try row.blob("public_key_hash"),
            keyAlgorithm: try row.text("key_algorithm"), csr: try row.optionalBlob("csr"),
            certificate: isCertified ? try readCertificate(row) : nil,
            createdAt: try row.time("created_at"),
            activatedAt: try row.optionalTime("activated_at"), times: try readTimes(row))
    }

    static func readTimes(_ row: borrowing Row) throws -> CredentialTimes {
        CredentialTimes(
            stateChangedAt: try row.time("state_changed_at"),
            retiringSince: try row.optionalTime("retiring_since"),
            rolledBackAt: try row.optionalTime("rolled_back_at"),
            lastTokenAt: try row.optionalTime("last_token_at"))
    }

    static func readCertificate(_ row: borrowing Row) throws -> CertificateRecord {
        CertificateRecord(
            der: try row.blob("der"), fingerprint: try row.text("fingerprint"),
            subject: try row.text("subject"), serialNumber: try row.text("serial"),
            notBefore: try row.time("not_before"), notAfter: try row.time("not_after"),
            teamIdentifier: try row.optionalText("team"),
            issuerVerified: try row.boolean("issuer_verified"))
    }
}
