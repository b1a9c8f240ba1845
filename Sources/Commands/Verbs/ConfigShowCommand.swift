import Documents
import Files
import Problems
import Settings
import Vault
import WebServer

/// `purser config show`.
enum ConfigShowCommand {
    static let verb = Verb(
        "config", "show", summary: "print each setting with its value and where it comes from",
        discussion: [
            "Settings that are wrong are listed with the rest, each with what is wrong and what to do; "
                + "the exit status then tells that nothing else would work with them, or that serve "
                + "would not."
        ],
        examples: [Example("purser config show", "see what is in force and why")],
        needs: .nothing, run: run)

    static func run(_ invocation: Invocation) async throws {
        let layout = invocation.layout
        // The home's own settings are its owner's to read; without a home the rest still shows.
        // A file of --config that cannot be read is told below, with the rest.
        // So is a file in the home that the other commands would refuse.
        var homeFile: FileError?
        if try FileStatus.ifPresent(layout.path) != nil {
            try HomeGuard.admit(layout)
            _ = try? invocation.namedSettings.read()
            try HomeGuard.enter(layout)
            do throws(FileError) { try HomeGuard.checkSettings(layout) } catch { homeFile = error }
        }
        let (survey, unreadable) = await invocation.surveySettings(withHomeFile: homeFile == nil)
        var rows = [
            SettingReport(
                key: "home", value: .text(layout.path),
                source: invocation.location.homeSource.description)
        ]
        if let homeFile { rows.append(SettingReport(file: layout.settings, homeFile)) }
        if let error = unreadable ?? (survey.isFileMalformed ? survey.error : nil) {
            rows.append(SettingReport(file: invocation.settingsPath, error))
        }
        rows += survey.lines.map(SettingReport.init)
        let report = SettingsReport(rows: rows)
        guard let failure = homeFile ?? unreadable ?? survey.error else {
            return try invocation.print(report)
        }
        try fail(with: failure, report, invocation)
    }

    private static func fail(
        with failure: any Error, _ report: SettingsReport, _ invocation: Invocation
    ) throws -> Never {
        let failed = FailureReport(failure, context: invocation.context)
        if invocation.global.json {
            throw failed.print(asJSON: true, beside: ("settings", report))
        }
        try invocation.print(report)
        guard case SettingsError.faults = failure else { throw failed.print(asJSON: false) }
        // All stand above, each with its remedy: once is enough.
        let count = report.problems.count
        invocation.context.tell(
            "error", count == 1 ? "a setting is wrong" : "\(count) settings are wrong")
        invocation.context.tell("hint", "correct what is listed as wrong")
        throw CommandStatus(failed.report.nature)
    }
}

/// One thing that is wrong, with what to do.
private struct SettingProblem: Hashable {
    let text: String
    let remedy: String
}

/// One setting with where its value comes from, and what is wrong with it.
private struct SettingReport: ReportRow {
    let key: String
    let value: SettingValue
    let source: String
    @OrNull var problem: String?
    @OrNull var remedy: String?
    private(set) var problems: [SettingProblem] = []

    private enum CodingKeys: String, CodingKey { case key, value, source, problem, remedy }

    init(key: String, value: SettingValue, source: String) {
        (self.key, self.value, self.source) = (key, value, source)
        (problem, remedy) = (nil, nil)
    }

    init(_ line: SettingsSurvey.Line) {
        self.init(key: line.key, value: line.value, source: line.source.description)
        for fault in line.faults { add(SettingProblem(text: fault.text, remedy: fault.remedy)) }
    }

    /// A line for a settings file of which nothing can be read, or may be.
    init(file path: String, _ failure: any Error) {
        let report = ErrorReport(failure, reference: "")
        self.init(key: "config", value: .text(path), source: "file \(path)")
        add(SettingProblem(text: report.summary, remedy: report.remedy))
    }

    mutating func add(_ one: SettingProblem) {
        problems.append(one)
        problem = problems.map(\.text).joined(separator: "; ")
        remedy = problems.first?.remedy
    }

    static let titles = ["SETTING", "VALUE", "SOURCE"]
    var cells: [String] {
        [key, problem == nil || value != .none ? value.description : "?", source]
    }
}

/// All settings: a JSON array, or a table and below it the problems.
private struct SettingsReport: Report {
    let rows: [SettingReport]

    /// Each once: two settings that do not go together have one problem.
    var problems: [SettingProblem] {
        var seen: Set<SettingProblem> = []
        return rows.flatMap(\.problems).filter { seen.insert($0).inserted }
    }

    func encode(to encoder: any Encoder) throws {
        try rows.encode(to: encoder)
    }

    func text(width: Int) -> String {
        ListReport(rows).text(width: width)
            + problems.map {
                "\n" + FieldList([("wrong", $0.text), ("to do", $0.remedy)]).rendered
            }.joined()
    }
}
