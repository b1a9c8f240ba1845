import Daemon
import Database
import Files
import Foundation
import Issuance
import Ledger
import Merchants
import Metrics
import PKI
import Problems
import Registry
import Sessions
import Settings
import TestSupport
import Testing
import Transfers
import Vault
import Watch
import WebServer

@testable import API
@testable import Commands

/// README.md's tables are written from the program; `PURSER_WRITE_README=1` writes them anew.
@Suite struct ReadmeTests {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// One instance of every case of every error that can reach a person.
    private static let examples: [any Explained] = {
        var all: [any Explained] = []
        func add<Failure: Explained>(_ type: Failure.Type) { all += type.examples }
        add(CommandLineError.self)
        add(SettingsError.self)
        add(ServeError.self)
        add(RequestError.self)
        add(AccessError.self)
        add(IssuanceError.self)
        add(TrustError.self)
        add(SessionError.self)
        add(NetworkCheckError.self)
        add(SiteError.self)
        add(LedgerError.self)
        add(RegistryError.self)
        add(VaultError.self)
        add(MerchantsError.self)
        add(CertificateFault.self)
        add(AssociationFault.self)
        add(WebServerError.self)
        add(WebServerRefusal.self)
        add(TransferError.self)
        add(MailError.self)
        add(WatchError.self)
        add(DatabaseError.self)
        add(PKIError.self)
        add(OCSPError.self)
        add(FileError.self)
        add(DaemonError.self)
        return all
    }()

    @Test func `the table of codes is that of the program`() throws {
        var seen: Set<String> = []
        let rows = Self.examples.filter { seen.insert($0.code).inserted }
            .sorted { $0.code < $1.code }
            .map { error -> String in
                let document = ProblemDocument(error, requestID: "")
                let exit = CommandStatus(error.nature).code
                return "| `\(error.code)` | \(exit) | \(document.status) | \(cell(error.remedy)) |"
            }
        try check(
            "codes",
            "| code | exit | HTTP | what to do |\n| --- | --- | --- | --- |\n"
                + rows.joined(separator: "\n"))
    }

    @Test func `the settings are those of the program`() throws {
        try check("settings", "```json5\n\(Settings.documentation)```")
    }

    @Test func `the metrics are those of the program`() throws {
        try check("metrics", of: ServiceMetrics.all)
        try check("textfile", of: AlertTextfile.measures)
    }

    @Test func `the calls are those of the program`() throws {
        let rows = CallTable.all.map { call in
            let who =
                switch call.rule {
                case .everybody: "everybody"
                case .localOr(let role): "local, or \(role.rawValue)"
                case .role(let role): role.rawValue
                }
            return "| `\(call.method) \(call.path)` | \(who) | \(cell(call.summary)) |"
        }
        try check(
            "calls",
            "| call | who | what it does |\n| --- | --- | --- |\n" + rows.joined(separator: "\n"))
    }

    private func check(_ name: String, of measures: [Measure]) throws {
        let rows = measures.map { measure in
            let labels = measure.labels.map { "`\($0)`" }.joined(separator: ", ")
            return "| `\(measure.name)` | \(measure.sort.rawValue) | \(labels) | "
                + "\(cell(measure.help)) |"
        }
        try check(
            name,
            "| metric | type | labels | what it says |\n| --- | --- | --- | --- |\n"
                + rows.joined(separator: "\n"))
    }

    @Test func `every code that stands in the sources has an example`() throws {
        let known = Set(Self.examples.map(\.code))
        let sources = Self.root.appending(path: "Sources")
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        // In a `code` switch: case .name: "domain.what".
        let pattern = /case \.[A-Za-z, .()0-9:]+: "([a-z-]+\.[a-z0-9-]+)"/
        for case let file as URL in try #require(files) where file.pathExtension == "swift" {
            if file.path.contains("/AppleSimulator/") || file.path.contains("/TLSServer/") {
                continue
            }
            let text = try String(contentsOf: file, encoding: .utf8)
            guard text.contains("var code: String") else { continue }
            let missing = text.matches(of: pattern).map { String($0.1) }.filter {
                !known.contains($0)
            }
            #expect(missing == [], "\(file.lastPathComponent)")
        }
    }

    @Test func `every error tells what to do, in a line, without secrets`() {
        for error in Self.examples {
            #expect(!error.remedy.isEmpty, "\(error.code)")
            #expect(error.summary.count <= 120, "\(error.code): \(error.summary)")
            #expect(error.remedy.count <= 120, "\(error.code): \(error.remedy)")
            for text in [error.summary, error.remedy] {
                #expect(!text.contains("-----BEGIN") && !text.contains("\n"), "\(error.code)")
                #expect(!text.hasSuffix("."), "\(error.code): \(text)")
            }
        }
    }

    @Test func `every command that a remedy names exists`() {
        let groups = Set(
            CommandTable.standard.verbs.filter { $0.path.count > 1 }.map { $0.path[0] })
        for error in Self.examples {
            for match in error.remedy.matches(
                of: /(?:^|: |or |then )purser (?:--home DIR )?([a-z_-]+)(?: ([a-z]+))?/)
            {
                let first = String(match.1)
                let path =
                    groups.contains(first) ? [first, match.2.map(String.init) ?? ""] : [first]
                #expect(
                    CommandTable.standard.verbs.contains { $0.path == path },
                    "\(error.code): \(error.remedy)")
            }
        }
    }

    func cell(_ text: String) -> String {
        text.replacingOccurrences(of: "|", with: "\\|").replacingOccurrences(of: "<", with: "&lt;")
    }

    func check(_ name: String, _ table: String) throws {
        let file = Self.root.appending(path: "README.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let start = try #require(text.range(of: "<!-- \(name): written by a test -->\n"))
        let end = try #require(text.range(of: "<!-- end of \(name) -->"))
        if ProcessInfo.processInfo.environment["PURSER_WRITE_README"] != nil {
            let new =
                text[..<start.upperBound] + "\n" + table + "\n\n" + text[end.lowerBound...]
            try new.write(to: file, atomically: true, encoding: .utf8)
            return
        }
        let present = text[start.upperBound..<end.lowerBound].trimmingCharacters(in: .newlines)
        #expect(present == table, "run: PURSER_WRITE_README=1 swift test --filter ReadmeTests")
    }
}
