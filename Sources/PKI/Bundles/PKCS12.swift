internal import COpenSSL
package import Secrets

/// Keys and certificates in one encrypted file (PKCS#12, RFC 7292).
///
/// What is written is what any OpenSSL 3 opens without its legacy provider: see ``Encryption``. What
/// is read may be older: see ``open(_:password:iterationLimit:)``.
package enum PKCS12 {
    /// What was in a file.
    package struct Contents: Sendable {
        /// In the file's order.
        package let keys: [PrivateKey]
        /// In the file's order, without repetitions.
        package let certificates: [Certificate]
        /// The name that the first key, else the first certificate, carries for people to see.
        package let friendlyName: String?

        /// The key, where there is exactly one.
        package var key: PrivateKey? { keys.count == 1 ? keys.first : nil }

        /// The certificate that was made for ``key``, if it is there.
        package var certificate: Certificate? {
            key.flatMap { key in certificates.first { $0.publicKey == key.publicKey } }
        }

        /// All certificates but ``certificate``.
        package var chain: [Certificate] { certificates.filter { $0 != certificate } }
    }

    /// The most bytes that are read as one file.
    package static let sizeLimit = 1_048_576

    /// The most iterations that are done for one file, all its parts together.
    package static let iterationLimit = 1_000_000

    /// Makes a file of `key`, its certificate if there is one already, and `chain`.
    ///
    /// Key and certificate carry `friendlyName` and, as local key identifier, the SHA-256 of the
    /// public key.
    ///
    /// - Throws: ``PKIError/keyDoesNotFit``; ``PKIError/parametersRefused(_:)`` for iterations
    ///   outside 1…``iterationLimit``.
    package static func make(
        key: PrivateKey, certificate: Certificate?, chain: [Certificate] = [],
        friendlyName: String? = nil, password: SecretBytes, iterations: Int = 2048,
        encryption: Encryption = .modern
    ) throws(PKIError) -> [UInt8] {
        guard certificate == nil || certificate?.publicKey == key.publicKey else {
            throw .keyDoesNotFit
        }
        guard (1...iterationLimit).contains(iterations) else {
            throw .parametersRefused("\(iterations) iterations")
        }
        OpenSSLReasons.forget()
        let maker = PKCS12Maker(
            password: password, iterations: Int32(iterations), encryption: encryption)
        let identifier = key.publicKey.sha256
        guard let safes = unsafe purser_safes_new() else { throw PKCS12Maker.failure }
        defer { unsafe purser_safes_free(safes) }
        if certificate != nil || !chain.isEmpty {
            guard let bags = unsafe purser_bags_new() else { throw PKCS12Maker.failure }
            defer { unsafe purser_bags_free(bags) }
            if let certificate {
                let bag = try unsafe maker.bag(of: certificate)
                try unsafe maker.add(
                    bag, to: bags, name: friendlyName, identifier: identifier)
            }
            for link in chain {
                try unsafe maker.add(maker.bag(of: link), to: bags, name: nil, identifier: nil)
            }
            try unsafe maker.addEncrypted(bags, to: safes)
        }
        guard let bags = unsafe purser_bags_new() else { throw PKCS12Maker.failure }
        defer { unsafe purser_bags_free(bags) }
        let bag = try unsafe maker.bag(of: key)
        try unsafe maker.add(bag, to: bags, name: friendlyName, identifier: identifier)
        // The bag of the key is encrypted itself.
        try unsafe maker.addPlain(bags, to: safes)
        return try unsafe maker.finish(safes)
    }
}
