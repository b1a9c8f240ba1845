import TestSupport

/// A process under test did not do what the rest of the test stands on.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    init(_ command: String, _ result: ForeignProcess.Result) {
        description = "\(command): status \(result.status)\n\(result.text)\(result.errorText)"
    }
}

/// Runs a foreign program, which must succeed.
@discardableResult
func tool(
    _ executable: String, _ arguments: [String], input: [UInt8] = []
) async throws -> ForeignProcess.Result {
    let result = try await ForeignProcess.runBeside(executable, arguments, input: input)
    guard result.status == 0 else {
        throw Failure("\(executable) \(arguments.joined(separator: " "))", result)
    }
    return result
}
