package import Clocks
package import Database
package import Merchants

/// Reads what the policies go by, for one merchant or for all, in constant memory.
///
/// It reads no certificate's bytes and no CSR: the index of the certificates' dates covers it.
package struct PolicySurvey {
    private let windows: WindowTable
    private let periods: RotationPeriods
    private let now: Timestamp
    private let troubles: [String: [CredentialTrouble]]

    /// Reads the troubles that network checks have found; they are few.
    ///
    /// - Throws: `DatabaseError`, ``RegistryError/damaged(column:why:)``.
    package init(
        windows: WindowTable, periods: RotationPeriods, at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws {
        self.windows = windows
        self.periods = periods
        self.now = now
        var troubles: [String: [CredentialTrouble]] = [:]
        try transaction.forEachRow(
            of: """
                SELECT sort, subject, outcome, detail FROM observations
                WHERE (sort = 'ocsp' AND outcome = 'revoked')
                    OR (sort = 'rehearsal' AND outcome IN ('failed', 'incomplete'))
                """
        ) { row in
            let detail = try row.text("detail")
            let trouble: CredentialTrouble =
                if try row.text("sort") == Observation.Sort.ocsp.rawValue {
                    .revokedByIssuer
                } else if try row.text("outcome") == "failed" {
                    .refusedByApple(detail)
                } else {
                    .unfinishedAtApple(detail)
                }
            troubles[try row.text("subject"), default: []].append(trouble)
            return true
        }
        self.troubles = troubles
    }

    /// Hands the facts of each merchant in service to `body`, kind by kind, by identifier.
    ///
    /// The identity is handed over for every merchant, a provider's by itself after ours; a processing
    /// kind only where there is, or was, a credential of it. An unknown merchant has nothing.
    ///
    /// - Throws: `DatabaseError`, ``RegistryError/damaged(column:why:)``, what `body` throws.
    package func forEachKind(
        of merchant: MerchantIdentifier? = nil, in transaction: borrowing Transaction,
        _ body: (KindFacts) throws -> Void
    ) throws {
        var group = Group()
        let query: SQL = merchant == nil ? Self.everybody : Self.oneMerchant
        try transaction.forEachRow(of: query, merchant.map { [.text($0.text)] } ?? []) { row in
            let name = try row.text("merchant")
            if name != group.name {
                try emit(&group, isLast: true, body)
                group = Group(
                    name: name, merchant: try row.merchant("merchant"),
                    team: try row.optionalText("merchant_team"),
                    hasDomains: try row.boolean("has_domains"))
            }
            guard let id = try row.optionalText("id") else { return true }
            let kind: CredentialKind = try row.oneOf("kind")
            if kind != group.kind {
                try emit(&group, isLast: false, body)
                group.kind = kind
            }
            let facts = try read(row, kind)
            // Of several certificates for one key the one valid longest counts.
            if let last = group.credentials.last, last.id.text == id {
                if (facts.notAfter ?? now) > (last.notAfter ?? now) {
                    group.credentials[group.credentials.count - 1] = facts
                }
            } else {
                group.credentials.append(facts)
            }
            return true
        }
        try emit(&group, isLast: true, body)
    }

    /// The rows of one merchant as they come, kind by kind.
    private struct Group {
        var name = ""
        var merchant: MerchantIdentifier?
        var team: String?
        var hasDomains = false
        var kind: CredentialKind?
        var credentials: [CredentialFacts] = []
        var isIdentityTold = false
    }

    private func emit(
        _ group: inout Group, isLast: Bool, _ body: (KindFacts) throws -> Void
    ) throws {
        guard let merchant = group.merchant else { return }
        func hand(_ kind: CredentialKind, _ credentials: [CredentialFacts]) throws {
            try body(
                KindFacts(
                    merchant: merchant, kind: kind, team: group.team,
                    hasDomains: group.hasDomains, credentials: credentials,
                    windows: windows.windows(for: merchant, kind), periods: periods, now: now))
        }
        if !group.isIdentityTold, group.kind != nil || isLast {
            group.isIdentityTold = true
            if group.kind != .merchantIdentity { try hand(.merchantIdentity, []) }
        }
        guard let kind = group.kind, !group.credentials.isEmpty else { return }
        if kind.isProcessing {
            try hand(kind, group.credentials)
        } else {
            for custody in Custody.allCases {
                let own = group.credentials.filter { $0.custody == custody }
                if !own.isEmpty { try hand(kind, own) }
            }
        }
        group.credentials.removeAll(keepingCapacity: true)
    }

    private func read(_ row: borrowing Row, _ kind: CredentialKind) throws -> CredentialFacts {
        let id = try row.credential("id")
        return CredentialFacts(
            id: id, kind: kind, state: try row.oneOf("state"),
            custody: try row.oneOf("custody"), provider: try row.optionalText("provider"),
            createdAt: try row.time("created_at"),
            activatedAt: try row.optionalTime("activated_at"),
            times: try CredentialQuery.readTimes(row),
            notBefore: try row.optionalTime("not_before"),
            notAfter: try row.optionalTime("not_after"), team: try row.optionalText("team"),
            troubles: troubles.isEmpty ? [] : troubles[id.text] ?? [],
            issuerWord: try issuerWord(row))
    }

    private func issuerWord(_ row: borrowing Row) throws -> IssuerWord? {
        switch try row.optionalText("issuer_outcome") {
        case nil: return nil
        case "good": return .good(at: try row.time("issuer_at"))
        case "unnamed": return .nobodyToAsk
        default:
            // Behind the certificate's number: why its issuer has said nothing.
            let words = try row.text("issuer_detail").split(separator: " ").dropFirst(2)
            return .silent(
                since: try row.time("issuer_since"), why: words.joined(separator: " "))
        }
    }

    private static let columns: SQL = """
        m.id AS merchant, m.team AS merchant_team,
        EXISTS (SELECT 1 FROM domains WHERE merchant = m.id) AS has_domains,
        c.id, c.kind, c.state, c.custody, c.provider, c.created_at, c.activated_at,
        \(CredentialQuery.timeColumns), x.not_before, x.not_after, x.team,
        o.outcome AS issuer_outcome, o.detail AS issuer_detail, o.at AS issuer_at,
        o.since AS issuer_since
        """

    // LEFT JOIN keeps the loops in this order, and the index the credentials in theirs: no sorting.
    private static let tables: SQL = """
        SELECT \(columns) FROM merchants AS m
        LEFT JOIN credentials AS c ON c.merchant = m.id
        LEFT JOIN certificates AS x ON x.credential = c.id
        LEFT JOIN observations AS o ON o.sort = 'ocsp' AND o.subject = c.id
        WHERE m.retired_at IS NULL
        """

    private static let order: SQL = "ORDER BY m.id, c.merchant, c.kind, c.created_at, c.id"

    static let everybody: SQL = "\(tables) \(order)"
    static let oneMerchant: SQL = "\(tables) AND m.id = ? \(order)"
}

extension Domains {
    /// Hands over what is known of each domain that Apple has refused since it was last proven.
    ///
    /// Of one merchant where given; merchants that are retired are left out.
    ///
    /// - Throws: `DatabaseError`, ``RegistryError/damaged(column:why:)``, what `body` throws.
    package static func forEachRefused(
        of merchant: MerchantIdentifier? = nil, in transaction: borrowing Transaction,
        _ body: (DomainFacts) throws -> Void
    ) throws {
        try transaction.forEachRow(
            of: """
                SELECT d.* FROM domains AS d JOIN merchants AS m ON m.id = d.merchant
                WHERE m.retired_at IS NULL AND refused_at IS NOT NULL
                    AND (?1 IS NULL OR d.merchant = ?1)
                    AND (proven_at IS NULL OR proven_at < refused_at)
                ORDER BY d.merchant, domain
                """, [Value(merchant?.text)]
        ) { row in
            try body(
                DomainFacts(
                    domain: try row.domain("domain"), merchant: try row.merchant("merchant"),
                    addedAt: try row.time("added_at"),
                    provenAt: try row.optionalTime("proven_at"),
                    refusedAt: try row.optionalTime("refused_at"),
                    refusal: try row.optionalText("refusal")))
            return true
        }
    }
}
