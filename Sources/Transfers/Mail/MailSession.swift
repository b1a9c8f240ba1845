internal import Locks

/// Hands mails in at one server, one after the other over one connection.
///
/// libcurl blocks here, on a thread of this actor's own: mails are few, and nobody waits for one.
package actor MailSession {
    private let executor = ThreadExecutor(name: "mail")
    private let server: MailServer
    private var handle: MailHandle?

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// Connects to nothing before the first mail.
    package init(_ server: MailServer) {
        self.server = server
    }

    /// Sends one mail; returns when the server has said that it took it (250), and only then.
    ///
    /// A cancelled task gets ``MailError/cancelled`` within a second or so.
    ///
    /// - Throws: ``MailError``.
    package nonisolated func send(_ envelope: MailEnvelope) async throws(MailError) {
        try envelope.validate()
        let cancellation = Cancellation()
        let outcome = await withTaskCancellationHandler {
            await submit(envelope, cancellation)
        } onCancel: {
            cancellation.cancel()
        }
        try outcome.get()
    }

    /// Says good-bye to the server, and waits for its answer a moment.
    package func close() async {
        guard let line = handle?.line else { return }
        let impatience = Task.detached {
            try await Task.sleep(for: .seconds(1))
            line.hangUp()
        }
        handle = nil
        impatience.cancel()
    }

    private func submit(
        _ envelope: MailEnvelope, _ cancellation: Cancellation
    ) -> Result<Void, MailError> {
        do throws(MailError) {
            let handle =
                if let made = self.handle, !made.line.isCut { made } else {
                    try MailHandle(server, MailLine())
                }
            // After a failure the next mail begins anew: what the connection is worth is not known.
            self.handle = nil
            cancellation.begin(handle.line)
            do throws(MailError) {
                try handle.submit(envelope)
            } catch {
                handle.line.hangUp()
                throw error
            }
            self.handle = handle
            return .success(())
        } catch {
            return .failure(error)
        }
    }
}

/// That a task does not wait for its mail any more, whenever that is.
private final class Cancellation: Sendable {
    private struct State {
        var line: MailLine?
        var isCancelled = false
    }

    private let state = Locked(State())

    func begin(_ line: MailLine) {
        let isCancelled = state.withLock { state in
            state.line = line
            return state.isCancelled
        }
        if isCancelled { line.cut() }
    }

    func cancel() {
        let line = state.withLock { state in
            state.isCancelled = true
            return state.line
        }
        line?.cut()
    }
}
