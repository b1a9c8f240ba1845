import Database
import Documents
import FoundationEssentials
import HomeSupport
import Issuance
import Ledger
import Merchants
import PKI
import Registry
import TestSupport
import Testing

@testable import API

/// The document against what it describes.
@Suite struct OpenAPIDocumentTests {
    @Test func `every call is in the document once, with its answers and its roles`() throws {
        struct Document: Decodable {
            struct Operation: Decodable {
                var operationId: String
                var responses: [String: Response]
                var security: [[String: [String]]]
            }
            struct Response: Decodable { var description: String }
            var openapi: String
            var paths: [String: [String: Operation]]
        }
        let bytes = OpenAPIDocument.bytes(of: CallTable.all, version: "1.2.3")
        let document = try JSONDecoder().decode(Document.self, from: Data(bytes))
        #expect(document.openapi == "3.1.0")
        #expect(document.paths.values.map(\.count).reduce(0, +) == CallTable.all.count)
        var names: Set<String> = []
        for call in CallTable.all {
            let operation = try #require(document.paths[call.path]?[call.method.lowercased()])
            #expect(names.insert(operation.operationId).inserted)
            #expect(
                Set(operation.responses.keys)
                    == Set(call.answers.map { "\($0.status)" } + ["default"]))
            switch call.rule {
            case .everybody: #expect(operation.security.isEmpty)
            case .localOr: #expect(operation.security.count == 2)
            case .role: #expect(operation.security == [["token": []]])
            }
        }
    }

    @Test func `every named shape that is referred to is there`() {
        let text = String(
            decoding: OpenAPIDocument.bytes(of: CallTable.all, version: "1"), as: UTF8.self)
        let lead = "#/components/schemas/"
        let referred = text.split(separator: "\"").filter { $0.hasPrefix(lead) }.map {
            String($0.dropFirst(lead.count))
        }
        #expect(Set(referred).isSubset(of: Set(NamedSchemas.all.map(\.name))))
        #expect(Set(NamedSchemas.all.map(\.name)).isSubset(of: Set(referred)))
    }

    @Test func `documents are of the shapes that are promised`() async throws {
        let shop = try await Shop()
        let made = try await shop.request(.merchantIdentity)
        let issued = try await shop.issued(.paymentProcessing)
        let (merchant, entries) = try await shop.home.database.read { transaction in
            (
                try MerchantRecords.find(shop.merchant, in: transaction),
                try Ledger.list(in: transaction)
            )
        }
        try check(MerchantDocument(merchant), "Merchant")
        try check(
            MerchantDetailDocument(
                merchant: MerchantDocument(merchant), domains: ["shop.example.com"],
                certificates: [CredentialDocument(issued)]), "MerchantDetail")
        try check(CredentialDocument(made.credential), "Certificate")
        try check(CredentialDocument(issued), "Certificate")
        try check(RequestDocument(made.credential, csr: made.csr.pem), "CertificateRequest")
        let domain = try DomainName("shop.example.com")
        _ = try await shop.home.addDomain(
            domain, of: shop.merchant,
            file: AssociationFile(try shop.pki.portalFile(for: domain.text)))
        let file = try await shop.home.database.read {
            try AssociationFiles.find(domain, of: shop.merchant, in: $0)
        }
        #expect(file != nil)
        try check(DomainDocument(domain, of: shop.merchant), "Domain")
        try check(DomainDocument(domain, of: shop.merchant, file), "Domain")
        for entry in entries { try check(LedgerDocument(entry), "LedgerEntry") }
        for error in RequestError.examples {
            try check(ProblemDocument(error, requestID: "1"), "Problem")
        }
    }

    /// Reads the document as calls are read, and checks it as calls are checked.
    private func check(_ document: some Encodable, _ name: String) throws {
        let schema = try #require(NamedSchemas.all.first { $0.name == name }?.schema)
        let members = try StrictJSON.object(in: Array(try JSONEncoder().encode(document)))
        try schema.resolved.check(.object(members), under: name)
        guard case .object(let properties) = schema else { return }
        #expect(Set(members.map(\.key)) == Set(properties.map(\.name)), "\(name)")
    }
}

extension Schema {
    /// With the shapes themselves in the place of their names.
    fileprivate var resolved: Schema {
        switch self {
        case .named(let name):
            NamedSchemas.all.first { $0.name == name }?.schema.resolved ?? self
        case .array(let element, let most): .array(element.resolved, upTo: most)
        case .orNull(let schema): .orNull(schema.resolved)
        case .object(let properties):
            .object(
                properties.map {
                    Property($0.name, $0.schema.resolved, $0.summary, isRequired: $0.isRequired)
                })
        default: self
        }
    }
}
