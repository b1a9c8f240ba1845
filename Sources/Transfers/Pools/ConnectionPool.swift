internal import Locks

/// The connections of one credential to one gateway.
///
/// Requests go over kept connections where there are free ones, and new connections resume the TLS
/// sessions of earlier ones. Both stay within the pool by construction: no request ever travels on
/// another credential's connection or TLS session.
///
/// Closed by ``close()``, or when the last reference is dropped.
package final class ConnectionPool: Sendable {
    private let loop: TransferLoop
    private let number: UInt64

    init(_ configuration: PoolConfiguration, loop: TransferLoop) {
        self.loop = loop
        number = loop.mailbox.nextNumber()
        _ = loop.mailbox.post(.open(pool: number, configuration))
    }

    deinit {
        close()
    }

    /// Sends a request and waits for its whole answer; any HTTP status is an answer.
    ///
    /// It is written at most once: ``TransferError/requestMayHaveArrived`` tells whether it was. A
    /// cancelled task gets ``TransferError/cancelled`` and its connection is closed.
    ///
    /// - Throws: ``TransferError``.
    package func send(_ request: TransferRequest) async throws(TransferError) -> TransferResponse {
        let mailbox = loop.mailbox
        let number = mailbox.nextNumber()
        let pool = self.number
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { (caller: Submission.Caller) in
                guard !Task.isCancelled else {
                    return caller.resume(returning: .failure(.cancelled))
                }
                let submission = Submission(
                    number: number, pool: pool, request: request, submitted: .now(),
                    caller: caller)
                guard mailbox.post(.submit(submission)) else {
                    return caller.resume(returning: .failure(.shutDown))
                }
                // The handler below may have run before the submission, and its command then found
                // nothing. A task is marked as cancelled before its handlers run, so one of the two
                // commands comes after the submission.
                if Task.isCancelled { _ = mailbox.post(.cancel(number: number)) }
            }
        } onCancel: {
            _ = mailbox.post(.cancel(number: number))
        }
        return try outcome.get()
    }

    /// Refuses new requests with ``TransferError/poolClosed``, closes idle connections now and the
    /// others when their requests have finished.
    package func close() {
        _ = loop.mailbox.post(.close(pool: number))
    }
}
