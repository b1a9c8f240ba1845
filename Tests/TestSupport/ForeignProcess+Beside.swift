import Locks

extension ForeignProcess {
    /// Runs `executable` to its end on a thread of its own, for tests that serve it meanwhile.
    ///
    /// ``run(_:_:input:environment:)`` blocks one of the few threads that tasks run on: a server in
    /// this process may then find none to answer from.
    package static func runBeside(
        _ executable: String, _ arguments: [String], input: [UInt8] = [],
        environment: [String: String]? = nil
    ) async throws -> Result {
        let outcome = await withCheckedContinuation { continuation in
            OwnedThread(name: "foreign") {
                continuation.resume(
                    returning: Swift.Result {
                        try run(executable, arguments, input: input, environment: environment)
                    })
            }.detach()
        }
        return try outcome.get()
    }
}
