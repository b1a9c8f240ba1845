import Files
import Settings
import Vault

/// `purser config show`.
enum ConfigShowCommand {
    static let verb = Verb(
        "config", "show", summary: "print each setting with its value and where it comes from",
        examples: [Example("purser config show", "see what is in force and why")],
        needs: .nothing, run: run)

    static func run(_ invocation: Invocation) async throws {
        // The home's own settings are its owner's to read; without a home the rest still shows.
        if try FileStatus.ifPresent(invocation.layout.path) != nil {
            try invocation.enterHome()
        }
        let resolved = try await invocation.loadSettings()
        let home = SettingReport(
            key: "home", value: .text(invocation.layout.path),
            source: invocation.location.homeSource.description)
        let rows = resolved.entries.map {
            SettingReport(key: $0.key, value: $0.value, source: $0.source.description)
        }
        try invocation.print(ListReport([home] + rows))
    }
}

/// One setting with where its value comes from.
private struct SettingReport: ReportRow {
    let key: String
    let value: SettingValue
    let source: String

    static let titles = ["SETTING", "VALUE", "SOURCE"]
    var cells: [String] { [key, value.description, source] }
}
