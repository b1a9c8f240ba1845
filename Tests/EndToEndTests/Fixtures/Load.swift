import TestSupport

/// Two clients that ask for one session after another until they are told to end.
final class Load: Sendable {
    private let tasks: [Task<[Int], any Error>]

    init(_ service: RunningService, _ order: String) {
        tasks = (0..<2).map { _ in
            Task {
                var statuses: [Int] = []
                while !Task.isCancelled { statuses.append(try await service.session(order).status) }
                return statuses
            }
        }
    }

    /// The statuses of all answers.
    func end() async throws -> [Int] {
        for task in tasks { task.cancel() }
        var statuses: [Int] = []
        for task in tasks { statuses += try await task.value }
        return statuses
    }
}
