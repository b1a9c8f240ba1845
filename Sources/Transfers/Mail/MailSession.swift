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
        let isCancelled = Locked(false)
        let outcome = await withTaskCancellationHandler {
            await submit(envelope, isCancelled)
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
        try outcome.get()
    }

    /// Says good-bye to the server, which may take a moment.
    package func close() {
        handle = nil
    }

    private func submit(
        _ envelope: MailEnvelope, _ isCancelled: Locked<Bool>
    ) -> Result<Void, MailError> {
        do throws(MailError) {
            let handle = if let made = self.handle { made } else { try MailHandle(server) }
            // After a failure the next mail begins anew: what the connection is worth is not known.
            self.handle = nil
            try handle.submit(envelope, isCancelled)
            self.handle = handle
            return .success(())
        } catch {
            return .failure(error)
        }
    }
}
