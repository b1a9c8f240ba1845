import Database
import Documents
import Issuance
import Merchants
import Registry

/// `purser domain add`.
enum DomainAddCommand {
    static let associationFile = Option(
        "association-file", "FILE",
        "Apple's file for this domain, to be served under the domain's name", kind: .file)

    static let verb = Verb(
        "domain", "add", summary: "register a shop's domain for a merchant",
        discussion: [
            "The name is kept as lower-case A-labels without a final dot and compared exactly; Apple knows "
                + "no wildcards.",
            "Apple's association file is kept as it comes, in place of one before, and served under both "
                + "names below /.well-known/. A file for another domain, for another team, or not "
                + "signed by Apple is refused. A site has one file at a time: where several merchants "
                + "have the same domain, the file that was added last is served.",
        ],
        arguments: [.merchant, .domain], options: [associationFile],
        examples: [
            Example(
                "purser domain add merchant.com.example.shop shop.example.com", "register a domain"),
            Example(
                "purser domain add merchant.com.example.shop shop.example.com "
                    + "--association-file apple-developer-merchantid-domain-association",
                "keep and serve the file from Apple's portal"),
        ],
        needs: .home, isAct: true, run: run)

    static func run(_ invocation: Invocation) async throws {
        let merchant = try MerchantIdentifier(invocation[.merchant])
        let domain = try DomainName(invocation[.domain])
        let bytes = try await invocation.contents(of: associationFile, limit: 1 << 20)
        let file = try bytes.map { bytes throws(AssociationFault) in try AssociationFile(bytes) }
        let home = try await invocation.openHome(.readWrite)
        let added = try await home.addDomain(domain, of: merchant, file: file)
        let (realm, kept) = try await home.database.read { transaction in
            (
                try MerchantRecords.find(merchant, in: transaction).realm,
                try AssociationFiles.find(domain, of: merchant, in: transaction)
            )
        }
        for warning in added.warnings {
            invocation.warn(warning.text, hint: warning.hint(for: merchant, realm: realm))
        }
        try invocation.print(DomainDocument(domain, of: merchant, kept).after(added))
    }
}
