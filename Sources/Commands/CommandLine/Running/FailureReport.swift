import Problems
import Sessions

/// Shows a failure: two lines on standard error, or `{"error": …}` on standard output.
struct FailureReport {
    let report: ErrorReport
    private let remedy: String
    private let error: any Error
    private let reference: String
    private let context: Context

    init(_ error: any Error, context: Context) {
        self.error = error
        self.context = context
        reference = context.makeReference()
        report = ErrorReport(error, reference: reference)
        remedy =
            switch error {
            // The error speaks to who asks by HTTP; here it is a flag.
            case SessionError.environmentRequired: "name one of them with --environment NAME"
            default: report.remedy
            }
    }

    /// Prints it and gives the status that its nature asks for.
    ///
    /// `found` is what the command has to show nevertheless: it stands beside the error in JSON, under
    /// a name of its own.
    func print(
        asJSON: Bool, beside found: (name: String, value: any Encodable)? = nil
    ) -> CommandStatus {
        if !(asJSON && printJSON(found)) {
            context.tell("error", report.summary)
            context.tell("hint", remedy)
        }
        if report.nature == .internalFault { logCauses() }
        return CommandStatus(report.nature)
    }

    private func printJSON(_ found: (name: String, value: any Encodable)?) -> Bool {
        let body = Body(
            error: .init(code: report.code, summary: report.summary, remedy: remedy),
            found: found)
        do {
            try context.output.write(JSONText.line(body))
            return !context.output.isClosed
        } catch {
            // Standard output itself may be what failed.
            return false
        }
    }

    /// Errors that are not ours may say anything, so they are escaped and go to standard error only.
    private func logCauses() {
        for line in causeTree(of: error).split(separator: "\n") {
            context.tell("log", "\(reference): \(line)")
        }
    }

    private struct Body: Encodable {
        let error: Details
        let found: (name: String, value: any Encodable)?

        private struct Name: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        func encode(to encoder: any Encoder) throws {
            var body = encoder.container(keyedBy: Name.self)
            try body.encode(error, forKey: Name(stringValue: "error"))
            if let found {
                try found.value.encode(to: body.superEncoder(forKey: Name(stringValue: found.name)))
            }
        }

        struct Details: Encodable {
            let code: String
            let summary: String
            let remedy: String
        }
    }
}
