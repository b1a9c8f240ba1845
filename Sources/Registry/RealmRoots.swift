package import Database
package import Merchants

/// A trust root of a realm; the certificate itself lies in the home's `anchors` folder.
///
/// In realm `apple` it may be an intermediate under one of the pinned roots.
package struct RealmRoot: Sendable, Hashable {
    package let realm: RealmName
    /// SHA-256 of the DER, 64 lower-case hex digits.
    package let fingerprint: String
    /// The subject in RFC 4514 form, for staff.
    package let subject: String

    package init(realm: RealmName, fingerprint: String, subject: String) {
        self.realm = realm
        self.fingerprint = fingerprint
        self.subject = subject
    }
}

/// Which roots each realm trusts.
package enum RealmRoots {
    /// Records a root; one that is there already is kept.
    ///
    /// - Returns: whether it is new.
    /// - Throws: `DatabaseError`.
    @discardableResult
    package static func add(
        _ root: RealmRoot, in transaction: borrowing Transaction
    ) throws -> Bool {
        try transaction.execute(
            """
            INSERT INTO realm_roots (realm, fingerprint, subject) VALUES (?, ?, ?)
            ON CONFLICT (realm, fingerprint) DO NOTHING
            """,
            [.text(root.realm.text), .text(root.fingerprint), .text(root.subject)]) == 1
    }

    /// The roots of `realm`, by fingerprint.
    ///
    /// - Throws: `DatabaseError`.
    package static func list(
        of realm: RealmName, in transaction: borrowing Transaction
    ) throws -> [RealmRoot] {
        try transaction.rows(
            of: "SELECT fingerprint, subject FROM realm_roots WHERE realm = ? ORDER BY fingerprint",
            [.text(realm.text)]
        ) {
            RealmRoot(
                realm: realm, fingerprint: try $0.text("fingerprint"),
                subject: try $0.text("subject"))
        }
    }

    /// What every realm has on record, by realm and fingerprint.
    ///
    /// - Throws: `DatabaseError`, ``RegistryError/damaged(column:why:)``.
    package static func list(in transaction: borrowing Transaction) throws -> [RealmRoot] {
        try transaction.rows(
            of: """
                SELECT realm, fingerprint, subject FROM realm_roots ORDER BY realm, fingerprint
                """
        ) {
            RealmRoot(
                realm: try $0.realm("realm"), fingerprint: try $0.text("fingerprint"),
                subject: try $0.text("subject"))
        }
    }

    /// Forgets the roots of a realm without environments and merchants, retired ones included.
    static func forgetUnused(_ realm: RealmName, in transaction: borrowing Transaction) throws {
        guard realm != .apple else { return }
        try transaction.execute(
            """
            DELETE FROM realm_roots WHERE realm = ?1
                AND NOT EXISTS (SELECT 1 FROM environments WHERE realm = ?1)
                AND NOT EXISTS (SELECT 1 FROM merchants WHERE realm = ?1)
            """, [.text(realm.text)])
    }
}
