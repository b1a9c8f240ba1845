internal import COpenSSL

/// What OpenSSL's error queue said about a failed call: reason texts only, never data.
///
/// The queue belongs to the thread, so it is emptied before a call and read right after it failed,
/// with no suspension between.
package struct OpenSSLReasons: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reasons, innermost first, without repetitions.
    package let reasons: [String]

    /// Reasons known without the library, for tests and examples.
    package init(_ reasons: [String]) {
        self.reasons = reasons
    }

    package var description: String {
        reasons.isEmpty ? "OpenSSL gave no reason" : "OpenSSL: " + reasons.joined(separator: "; ")
    }

    /// Empties this thread's queue, so that old errors are not taken for new ones.
    static func forget() {
        ERR_clear_error()
    }

    /// Takes everything out of this thread's queue.
    static func drain() -> OpenSSLReasons {
        var reasons: [String] = []
        while true {
            let code = ERR_get_error()
            guard code != 0 else { break }
            // Only the fixed text of the code: the "error data" may quote what was being read.
            guard let text = unsafe ERR_reason_error_string(code) else { continue }
            let reason = unsafe String(cString: text)
            if reasons.count < 8, !reasons.contains(reason) {
                reasons.append(reason)
            }
        }
        return OpenSSLReasons(reasons)
    }
}
