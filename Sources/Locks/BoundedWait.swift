/// Does blocking work on a thread of its own and waits for it for `limit` at most.
///
/// For work that nothing can interrupt, such as a resolver's: past the limit the thread is left alone
/// and its result thrown away.
///
/// - Parameters:
///   - name: of the thread.
///   - limit: for how long its result is waited for.
///   - late: what is returned where it takes longer.
///   - work: what is to be done.
/// - Returns: what `work` returned, or `late`.
package func onThread<Result: Sendable>(
    named name: String, within limit: Duration, late: Result,
    _ work: @escaping @Sendable () -> Result
) async -> Result {
    let waiting = Locked<CheckedContinuation<Result, Never>?>(nil)
    let answer = { @Sendable (result: Result) in
        let caller = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        caller?.resume(returning: result)
    }
    let alarm = Task {
        try await Task.sleep(for: limit)
        answer(late)
    }
    defer { alarm.cancel() }
    return await withCheckedContinuation { caller in
        waiting.withLock { $0 = caller }
        OwnedThread(name: name) { answer(work()) }.detach()
    }
}
