package import Database
package import Merchants

extension Credentials {
    /// Moves a credential from its provider's custody into this home's.
    ///
    /// - Throws: ``RegistryError/certificateUnknown(_:)``, ``RegistryError/anotherActive(_:)`` where
    ///   it would be a second selected identity, `DatabaseError`.
    package static func takeOver(
        _ id: CredentialIdentifier, in transaction: borrowing Transaction
    ) throws {
        try requireCredential(id, in: transaction)
        try refusingSecondActive(id) { () throws(DatabaseError) in
            _ = try transaction.execute(
                "UPDATE credentials SET custody = 'local', provider = NULL WHERE id = ?",
                [.text(id.text)])
        }
    }
}
