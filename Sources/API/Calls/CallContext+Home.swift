import FoundationEssentials
import Issuance
import Merchants
import Registry
import Vault
import WebServer

extension CallContext {
    /// Does something to the home in the name of the caller's token; calls that act need one.
    ///
    /// - Throws: ``AccessError/tokenRequired(_:)`` without a token, and what `act` throws.
    func act<Result: Sendable>(
        _ act: @escaping @Sendable (OpenHome, Vault) async throws -> Result
    ) async throws -> Result {
        guard let token = caller.token else { throw AccessError.tokenRequired(nil) }
        return try await api.home.act(as: token.id, act)
    }

    /// The credential that the path names, whose merchant the caller's token must cover.
    ///
    /// Another merchant's is told as unknown: that it exists is not this caller's business.
    ///
    /// - Throws: ``MerchantsError``, ``RegistryError/certificateUnknown(_:)``, `DatabaseError`.
    func coveredCredential() async throws -> Credential {
        let id = try credential()
        let found = try await api.home.read { try Credentials.find(id, in: $0) }
        guard caller.covers(found.merchant) else { throw RegistryError.certificateUnknown(id) }
        return found
    }
}

extension Answer {
    /// JSON with sorted keys; `merchant` is for the access log.
    static func document(
        _ document: some Encodable, status: Int = 200, about merchant: MerchantIdentifier? = nil
    ) throws -> Answer {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var answer = Answer(.json(Array(try encoder.encode(document)), status: status))
        answer.response.headers.set("Cache-Control", "no-store")
        answer.merchant = merchant
        return answer
    }
}
