import WebServer

/// All calls of the HTTP API, in the order of their document.
enum CallTable {
    static let all =
        SessionCalls.all + MerchantCalls.all + CertificateCalls.all + CertificateActCalls.all
        + AuditCalls.all + AssociationFileCall.all + ServiceCalls.all

    /// Finds a call by method and path.
    static let router: Router<Call> = {
        var router = Router<Call>()
        for call in all { router.add(call.method, call.path, call) }
        return router
    }()
}
