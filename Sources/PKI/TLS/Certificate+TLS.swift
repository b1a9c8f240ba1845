internal import COpenSSL

extension Certificate {
    /// Loads this certificate, `chain` and `key` into TLS as a client would, and drops them again.
    ///
    /// A dress rehearsal without network: what fails here would fail before the first packet. Root
    /// certificates need not be in `chain`.
    ///
    /// - Throws: ``PKIError/keyDoesNotFit``, or ``PKIError/refusedByTLS(_:)`` for a key or a
    ///   signature below OpenSSL's security level.
    package func loadIntoTLS(chain: [Certificate], key: PrivateKey) throws(PKIError) {
        guard key.publicKey == publicKey else { throw .keyDoesNotFit }
        OpenSSLReasons.forget()
        guard let context = unsafe SSL_CTX_new(TLS_client_method()) else {
            throw .library("prepare TLS", .drain())
        }
        defer { unsafe SSL_CTX_free(context) }
        var isLoaded = unsafe withHandle { unsafe SSL_CTX_use_certificate(context, $0) == 1 }
        unsafe key.withHandle {
            isLoaded = unsafe isLoaded && SSL_CTX_use_PrivateKey(context, $0) == 1
        }
        isLoaded = unsafe isLoaded && SSL_CTX_check_private_key(context) == 1
        for link in chain {
            unsafe link.withHandle {
                isLoaded = unsafe isLoaded && purser_tls_add1_chain(context, $0) == 1
            }
        }
        guard isLoaded else { throw .refusedByTLS(.drain()) }
    }
}
