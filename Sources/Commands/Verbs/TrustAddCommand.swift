import Database
import Issuance
import Merchants
import PKI

/// `purser trust add`.
enum TrustAddCommand {
    static let file = Argument(
        "FILE", "Apple's certificates, in any form that inspect reads", kind: .file,
        acceptsStandardInput: true)

    private static let roots: [String] = AppleRoot.allCases.map { root in
        "\(root.rawValue) (\(root.fileName)): \(root.fingerprint)"
    }

    static let verb = Verb(
        "trust", "add", summary: "trust Apple's roots, and the intermediates under them",
        discussion: [
            "Apple's three roots are known by their fingerprints, and no other is ever taken. An "
                + "intermediate is taken if it verifies to one of them that is here or in the same "
                + "file. All in the file is taken, or nothing.",
            "Apple publishes them below apple.com/certificateauthority, and these are the roots, by the "
                + "SHA-256 of the whole file:",
        ] + roots + [
            "The certificates that are here already are verified in the same act. Roots of a "
                + "stand-in come with: purser environment add NAME --apple-root FILE."
        ],
        arguments: [file],
        examples: [
            Example("purser trust add AppleRootCA-G3.cer", "trust a root that you downloaded")
        ],
        needs: .home, isAct: true, run: run)

    static func run(_ invocation: Invocation) async throws {
        let bytes = try await invocation.secretContents(of: file, limit: ForeignReader.sizeLimit)
        let offered = try await onOwnThread { try Certificate.authorities(in: bytes) }
        let home = try await invocation.openHome(.readWrite)
        let report = TrustChangeReport(try await home.admit(offered))
        report.warn(invocation)
        try invocation.print(report)
    }
}
