package import Database
package import Merchants

/// Which credentials' side files have fallen behind the database.
///
/// A side file is written after the commit that changes it, so a crash may leave an old one. The
/// mark is set in the transaction of the change and taken away once the file is durable.
extension Credentials {
    /// Sets or takes away the mark.
    ///
    /// - Throws: ``RegistryError/certificateUnknown(_:)``, `DatabaseError`.
    package static func setSideFileDue(
        _ isDue: Bool, of id: CredentialIdentifier, in transaction: borrowing Transaction
    ) throws {
        let changed = try transaction.execute(
            "UPDATE credentials SET side_file_due = ? WHERE id = ?",
            [Value(isDue), .text(id.text)])
        guard changed == 1 else { throw RegistryError.certificateUnknown(id) }
    }

    /// The credentials of a merchant whose side files are due.
    ///
    /// - Throws: `DatabaseError`.
    package static func withSideFileDue(
        of merchant: MerchantIdentifier, in transaction: borrowing Transaction
    ) throws -> [Credential] {
        try transaction.rows(
            of: """
                \(CredentialQuery.all)
                WHERE c.merchant = ? AND c.side_file_due = 1 \(CredentialQuery.order)
                """, [.text(merchant.text)]
        ) { try CredentialQuery.read($0) }
    }
}
