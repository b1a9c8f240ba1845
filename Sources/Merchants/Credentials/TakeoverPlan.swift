/// What becomes of a credential's state when its key, held by a provider until now, comes here.
///
/// Its state stays, but for one case: an identity that its provider uses stands beside the one that
/// is selected here, and of two under local custody one alone can be. What is selected stays
/// selected, and the newcomer waits as `issued` for a person to activate it.
package func planTakeover(of credential: Credential, among all: [Credential]) -> [CredentialMove] {
    let isRivalled = all.contains {
        $0.id != credential.id && $0.merchant == credential.merchant
            && $0.kind == credential.kind && $0.custody == .local && $0.state == .active
    }
    guard credential.kind == .merchantIdentity, credential.state == .active, isRivalled else {
        return []
    }
    return [CredentialMove(credential.id, from: .active, to: .issued)]
}
