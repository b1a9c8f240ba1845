internal import COpenSSL

/// A library context of its own in which OpenSSL's legacy provider is loaded, for reading only.
///
/// RC2, RC4 and single DES protect nothing today, but files made with them are still about. The
/// default context never learns of them, so nothing can be written or negotiated with them.
@safe struct LegacyLibrary: Sendable {
    // OpenSSL locks a context inside (man 7 openssl-threads); this one is never changed or freed.
    nonisolated(unsafe) let context: OpaquePointer
    /// Whether the provider is installed; without it old files are refused by name.
    let hasLegacy: Bool

    /// The one of this process; nil when memory lacks.
    static let shared: LegacyLibrary? = {
        guard let context = unsafe OSSL_LIB_CTX_new() else { return nil }
        guard unsafe OSSL_PROVIDER_load(context, "default") != nil else {
            unsafe OSSL_LIB_CTX_free(context)
            return nil
        }
        let hasLegacy = unsafe OSSL_PROVIDER_load(context, "legacy") != nil
        OpenSSLReasons.forget()
        return unsafe LegacyLibrary(context: context, hasLegacy: hasLegacy)
    }()
}
