internal import COpenSSL
package import Clocks

/// The certificates that are trusted to begin with, and the judge of what hangs under them.
package struct TrustStore: Sendable {
    /// The anchors; each is trusted as it stands, self-signed or not, whatever signed it.
    package let roots: [Certificate]

    /// Trusts `roots` and nothing else; the system's own bundle is never consulted.
    package init(roots: [Certificate]) {
        self.roots = roots
    }

    /// Builds a chain from `leaf` through `intermediates` to a root, valid at `moment`; nil asks who
    /// issued what and leaves validity out.
    ///
    /// Any purpose will do: key usage and Apple's marker extensions are the caller's policies.
    /// A root's own signature is not checked (Apple Root CA's is SHA-1). Critical extensions that
    /// OpenSSL does not know are an error, unless they are Apple's (1.2.840.113635.100.6.…).
    /// Revocation is not asked for. The last second of validity counts as expired, as in TLS.
    package func verify(
        _ leaf: Certificate, intermediates: [Certificate], at moment: Timestamp?
    ) -> ChainVerdict {
        defer { OpenSSLReasons.forget() }
        guard let store = unsafe X509_STORE_new(), let context = unsafe X509_STORE_CTX_new(),
            let others = unsafe purser_certificates_new()
        else { return .invalid(reason: "out of memory") }
        defer {
            unsafe X509_STORE_CTX_free(context)
            unsafe purser_certificates_free(others)
            unsafe X509_STORE_free(store)
        }
        for root in roots {
            unsafe root.withHandle { _ = unsafe X509_STORE_add_cert(store, $0) }
        }
        for other in intermediates {
            unsafe other.withHandle { _ = unsafe purser_certificates_add1(others, $0) }
        }
        return unsafe leaf.withHandle { handle in
            guard unsafe X509_STORE_CTX_init(context, store, handle, others) == 1,
                let parameters = unsafe X509_STORE_CTX_get0_param(context)
            else { return .invalid(reason: "the chain could not be prepared") }
            // Critical extensions are judged below: OpenSSL knows all or none.
            var flags = X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_IGNORE_CRITICAL
            if let moment {
                unsafe X509_VERIFY_PARAM_set_time(parameters, Int(moment.seconds))
            } else {
                flags |= X509_V_FLAG_NO_CHECK_TIME
            }
            unsafe X509_VERIFY_PARAM_set_flags(parameters, UInt(flags))
            guard unsafe X509_verify_cert(context) == 1 else {
                return unsafe ChainVerdict(failure: X509_STORE_CTX_get_error(context))
            }
            let chain = unsafe Self.chain(of: context)
            let isUnderstood = chain.allSatisfy { link in
                link.unhandledCriticalExtensions.allSatisfy { $0.hasPrefix(OID.appleExtensionArc) }
            }
            guard !chain.contains(where: \.hasMalformedExtensions) else {
                return ChainVerdict(failure: X509_V_ERR_INVALID_EXTENSION)
            }
            return isUnderstood
                ? .verified(chain: chain) : ChainVerdict(failure: Self.unhandledCritical)
        }
    }

    private static let unhandledCritical = X509_V_ERR_UNHANDLED_CRITICAL_EXTENSION

    /// The chain that was built, leaf first.
    private static func chain(of context: OpaquePointer) -> [Certificate] {
        let stack = unsafe X509_STORE_CTX_get0_chain(context)
        return (0..<max(0, unsafe purser_certificates_count(stack))).compactMap { index in
            unsafe purser_certificates_get0(stack, index).flatMap {
                unsafe try? Certificate(retaining: $0)
            }
        }
    }
}
