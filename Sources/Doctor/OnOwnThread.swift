import Locks

/// Runs what blocks outside the cooperative pool, which has as few threads as there are cores.
func onOwnThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        OwnedThread(name: "doctor") { continuation.resume(returning: body()) }.detach()
    }
}
