/// A crash leaves no keys behind; notes, because Purser keeps itself out of dumps.
enum CoreDumpsCheck {
    static let check = Check("core-dumps") { patient in
        var findings = Findings("core-dumps")
        let machine = patient.machine
        if machine.undumpableAreDumped {
            findings.add(
                .ok, "fs.suid_dumpable", "this machine dumps programs that ask to be left out",
                remedy: "run: sysctl fs.suid_dumpable=0")
        }
        if machine.coreLimit != 0 {
            findings.add(
                .ok, "RLIMIT_CORE", "the limit for core dumps could not be lowered to nothing",
                remedy: "for the service: LimitCORE=0 in its unit")
        }
        if machine.undumpableAreDumped, let pattern = machine.corePattern, pattern.hasPrefix("|") {
            findings.add(
                .ok, "kernel.core_pattern",
                "dumps are handed to \(pattern.dropFirst().prefix(40)), whatever their limit",
                remedy: "see what it keeps: coredumpctl list")
        }
        return findings.all
    }
}
