internal import Glibc

/// What a write to a closed connection does to the process.
package enum BrokenPipes {
    /// Makes such writes fail with EPIPE instead of ending the process (SIGPIPE); first thing in `main`.
    package static func ignore() {
        _ = signal(SIGPIPE, SIG_IGN)
    }
}

/// The process's limit of open files, each connection being one.
package enum OpenFiles {
    /// Raises the soft limit to the hard one and gives the limit that is then in force.
    ///
    /// The soft limit is low (1,024) for the sake of select(2), which nothing here uses.
    @discardableResult
    package static func raiseLimit() -> Int {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard unsafe getrlimit(resource, &limit) == 0 else { return 1_024 }
        let before = limit.rlim_cur
        limit.rlim_cur = limit.rlim_max
        return Int(clamping: unsafe setrlimit(resource, &limit) == 0 ? limit.rlim_cur : before)
    }
}
