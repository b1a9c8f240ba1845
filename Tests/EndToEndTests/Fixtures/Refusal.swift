import TestSupport

/// Runs `purser` with these words and nothing else.
func purser(
    _ arguments: [String], input: [UInt8] = [],
    environment: [String: String] = TestHome.environment
) async throws -> ForeignProcess.Result {
    try await ForeignProcess.runBeside(
        Binaries.purser, arguments, input: input, environment: environment)
}

extension ForeignProcess.Result {
    /// The error's stable code, of a command with `--json`.
    var code: String? { (try? JSON(output))?["error"]["code"].text }

    /// What stands behind `purser: hint: ` on standard error.
    var hints: [String] {
        errorText.split(separator: "\n").filter { $0.hasPrefix("purser: hint: ") }.map {
            String($0.dropFirst("purser: hint: ".count))
        }
    }
}
