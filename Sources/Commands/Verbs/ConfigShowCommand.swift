import Files
import Problems
import Settings
import Vault

/// `purser config show`.
enum ConfigShowCommand {
    static let verb = Verb(
        "config", "show", summary: "print each setting with its value and where it comes from",
        discussion: [
            "Settings that are wrong are listed with the rest, each with what is wrong and what to do; "
                + "the exit status then tells that nothing else would work with them."
        ],
        examples: [Example("purser config show", "see what is in force and why")],
        needs: .nothing, run: run)

    static func run(_ invocation: Invocation) async throws {
        let layout = invocation.layout
        // The home's own settings are its owner's to read; without a home the rest still shows.
        // A file of --config that cannot be read is told below, with the rest.
        if try FileStatus.ifPresent(layout.path) != nil {
            try HomeGuard.admit(layout)
            _ = try? invocation.namedSettings.read()
            try HomeGuard.enter(layout)
        }
        let (survey, unreadable) = await invocation.surveySettings()
        let home = SettingReport(
            key: "home", value: .text(layout.path),
            source: invocation.location.homeSource.description)
        var rows = [home] + survey.lines.map(SettingReport.init)
        let failure = unreadable ?? survey.error
        if let failure, unreadable != nil || survey.isFileMalformed {
            rows.insert(SettingReport(file: invocation.settingsPath, failure), at: 1)
        }
        let report = SettingsReport(rows: rows)
        guard let failure else { return try invocation.print(report) }
        let failed = FailureReport(failure, context: invocation.context)
        if invocation.global.json {
            throw failed.print(asJSON: true, beside: ("settings", report))
        }
        try invocation.print(report)
        throw failed.print(asJSON: false)
    }
}

/// One setting with where its value comes from, and what is wrong with it.
private struct SettingReport: ReportRow {
    let key: String
    let value: SettingValue
    let source: String
    @OrNull var problem: String?
    @OrNull var remedy: String?

    init(key: String, value: SettingValue, source: String) {
        (self.key, self.value, self.source) = (key, value, source)
        (problem, remedy) = (nil, nil)
    }

    init(_ line: SettingsSurvey.Line) {
        (key, value, source) = (line.key, line.value, line.source.description)
        problem = line.faults.isEmpty ? nil : line.faults.map(\.text).joined(separator: "; ")
        remedy = line.faults.first?.remedy
    }

    /// A line for a settings file of which nothing can be read.
    init(file path: String, _ failure: any Error) {
        let report = ErrorReport(failure, reference: "")
        (key, value, source) = ("config", .text(path), "file \(path)")
        (problem, remedy) = (report.summary, report.remedy)
    }

    static let titles = ["SETTING", "VALUE", "SOURCE"]
    var cells: [String] {
        [key, problem == nil || value != .none ? value.description : "?", source]
    }
}

/// All settings: a JSON array, or a table and below it the problems.
private struct SettingsReport: Report {
    let rows: [SettingReport]

    func encode(to encoder: any Encoder) throws {
        try rows.encode(to: encoder)
    }

    func text(width: Int) -> String {
        let problems = rows.compactMap { row in
            row.problem.map { problem in
                [("wrong", problem), ("to do", row.remedy)]
            }
        }
        let table = ListReport(rows).text(width: width)
        guard !problems.isEmpty else { return table }
        return table + problems.map { "\n" + FieldList($0).rendered }.joined()
    }
}
