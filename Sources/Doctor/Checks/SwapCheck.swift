/// Memory that is written to disk: a note, because it is the machine's business.
enum SwapCheck {
    static let check = Check("swap") { patient in
        var findings = Findings("swap")
        for swap in patient.machine.swaps {
            findings.add(
                .ok, swap, "memory may be written here, and keys in use with it",
                remedy: "encrypt it, or for the service: MemorySwapMax=0 in its unit")
        }
        return findings.all
    }
}
