import Clocks
import Database
import Files
import Issuance
import Merchants
import PKI
import Registry
import Secrets

/// `purser inspect`.
enum InspectCommand {
    static let file = Argument(
        "FILE", "what somebody has: PEM, DER, PKCS#7, PKCS#12, a key", kind: .file,
        acceptsStandardInput: true)
    static let passwordFile = Option(
        "password-file", "FILE", "a file with the password under which it is encrypted",
        kind: .file)

    static let verb = Verb(
        "inspect", summary: "say what a file is, whose it is, and what is wrong with it",
        discussion: [
            "Its content decides, never its name. It needs neither a home nor a key and stores "
                + "nothing; where there is a home that can be read, it says what of the file is held "
                + "there already.",
            "Which software refuses the file is told from its algorithms, without asking any.",
        ],
        arguments: [file], options: [passwordFile],
        examples: [
            Example("purser inspect export.p12 --password-file password", "look into an export"),
            Example("pbpaste | purser inspect - --json", "look at what was copied"),
        ],
        needs: .nothing, run: run)

    static func run(_ invocation: Invocation) async throws {
        let bytes = try await invocation.secretContents(of: file, limit: ForeignReader.sizeLimit)
        let password = try await invocation.password(of: passwordFile)
        let reader = ForeignReader(passwords: password.map { [$0] } ?? [])
        // Derivations take as long as the file asks for, within the reader's limit.
        let contents = try await onOwnThread { reader.survey(bytes) }
        if !contents.keys.isEmpty {
            invocation.warnOfKey(in: file)
        } else if let file = AssociationFile.recognise(bytes.withUnsafeBytes { Array($0) }) {
            // Only now: what may be a key is not copied out of memory that is wiped.
            return try await inspect(file, invocation)
        }
        let inspection = Inspection(contents, now: invocation.context.clock.now)
        let report = InspectionReport(inspection, held: await held(contents, invocation))
        guard let problem = contents.problems.first else { return try invocation.print(report) }
        let failure = FailureReport(problem.error, context: invocation.context)
        if invocation.global.json {
            throw failure.print(asJSON: true, beside: ("inspection", report))
        }
        try invocation.print(report)
        throw failure.print(asJSON: false)
    }

    /// An association file: beside what it says, who of the home it is for and whether Apple signed it.
    private static func inspect(
        _ file: Result<AssociationFile, AssociationFault>, _ invocation: Invocation
    ) async throws {
        var isVerified: Bool?
        var owners: [MerchantIdentifier] = []
        var warnings: [String] = []
        var fault: AssociationFault?
        switch file {
        case .failure(let why): fault = why
        case .success(let file):
            let home = try? await invocation.openHome(.readOnly)
            if let home, let trust = try? await home.trust(of: .apple) {
                do throws(AssociationFault) {
                    isVerified = try file.verify(with: trust, realm: .apple) ? true : nil
                } catch {
                    isVerified = false
                    warnings.append(error.summary)
                }
            }
            if let home, let domain = file.facts.domain.flatMap({ try? DomainName($0) }) {
                owners = try await home.database.read {
                    try Domains.merchants(registering: domain, in: $0)
                }
            }
            if isVerified == nil { warnings.append(AssociationWarning.unverified.text) }
            warnings += file.facts.warnings(
                teams: file.facts.team.map { [$0] } ?? [], isProven: false,
                at: invocation.context.clock.now
            ).map(\.text)
        }
        let report = InspectionReport(
            file, isVerified: isVerified, owners: owners, warnings: warnings)
        guard let fault else { return try invocation.print(report) }
        let failure = FailureReport(fault, context: invocation.context)
        if invocation.global.json {
            throw failure.print(asJSON: true, beside: ("inspection", report))
        }
        try invocation.print(report)
        throw failure.print(asJSON: false)
    }

    /// The credentials of the home that have a key of the file; none where no home can be read.
    private static func held(
        _ contents: ForeignContents, _ invocation: Invocation
    ) async -> [PublicKey: [Credential]] {
        let keys = Set(
            contents.keys.map(\.value.publicKey) + contents.certificates.map(\.value.publicKey)
                + contents.requests.map(\.value.publicKey) + contents.publicKeys.map(\.value))
        guard !keys.isEmpty, let home = try? await invocation.openHome(.readOnly) else {
            return [:]
        }
        let found = try? await home.database.read { transaction in
            var found: [PublicKey: [Credential]] = [:]
            for key in keys {
                found[key] = try Credentials.find(publicKeyHash: key.sha256, in: transaction)
            }
            return found
        }
        return found ?? [:]
    }
}
