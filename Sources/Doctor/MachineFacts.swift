import Daemon
package import Files

/// What the machine does to a home that lies on it.
package struct MachineFacts: Sendable {
    /// Nil where the kernel does not say.
    package var clockIsSynchronised: Bool?
    /// RLIMIT_CORE of this process; nil where there is none.
    package var coreLimit: UInt64?
    /// /proc/sys/kernel/core_pattern, without its line end.
    package var corePattern: String?
    /// /proc/sys/fs/suid_dumpable: 0 where programs that ask for it are left out of dumps.
    package var undumpableAreDumped: Bool
    /// Where memory may be written to, from /proc/swaps.
    package var swaps: [String]
    /// What is left where the home lies; nil where it cannot be told.
    package var space: FileSystemSpace?

    package init(
        clockIsSynchronised: Bool?, coreLimit: UInt64?, corePattern: String?,
        undumpableAreDumped: Bool, swaps: [String], space: FileSystemSpace?
    ) {
        self.clockIsSynchronised = clockIsSynchronised
        self.coreLimit = coreLimit
        self.corePattern = corePattern
        self.undumpableAreDumped = undumpableAreDumped
        self.swaps = swaps
        self.space = space
    }

    /// Those of this machine, for a home at `path`.
    package static func live(home path: String) -> MachineFacts {
        let swaps = lines(of: "/proc/swaps").dropFirst()
        return MachineFacts(
            clockIsSynchronised: ClockSynchronisation.isOn, coreLimit: CoreDumps.limit,
            corePattern: lines(of: "/proc/sys/kernel/core_pattern").first,
            undumpableAreDumped: (lines(of: "/proc/sys/fs/suid_dumpable").first ?? "0") != "0",
            swaps: swaps.compactMap { $0.split(whereSeparator: \.isWhitespace).first }
                .map(String.init),
            space: try? FileSystemSpace(of: path))
    }

    private static func lines(of path: String) -> [String] {
        let bytes = (try? InputFile.read(path, limit: 65_536)) ?? []
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
