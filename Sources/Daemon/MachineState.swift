internal import CLinux
internal import Glibc

/// Whether the machine's clock is kept in step with others.
package enum ClockSynchronisation {
    /// What adjtimex(2) says; nil where the kernel does not tell, as in some containers.
    ///
    /// A virtual machine whose host keeps its clock says no as well.
    package static var isOn: Bool? {
        switch purser_clock_is_synchronised() {
        case 0: false
        case 1: true
        default: nil
        }
    }
}

/// What this process would leave behind when it crashes.
package enum CoreDumps {
    /// RLIMIT_CORE's soft limit in bytes; nil where it is unlimited or unknown.
    package static var limit: UInt64? {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0,
            limit.rlim_cur != rlim_t.max
        else { return nil }
        return UInt64(limit.rlim_cur)
    }
}
