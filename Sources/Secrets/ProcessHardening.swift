internal import CLinux
internal import Glibc

/// Keeps this process's memory out of core dumps and away from other processes of the same user.
///
/// Called once, first thing in each program: `PR_SET_DUMPABLE` off and `RLIMIT_CORE` zero.
package func hardenProcess() {
    _ = purser_set_not_dumpable()
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
}
