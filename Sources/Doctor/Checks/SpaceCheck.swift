import Files
import Vault

/// There is room for the next commits: a full disk stops every act.
enum SpaceCheck {
    static let check = Check("space") { patient in
        var findings = Findings("space")
        guard let space = patient.machine.space else { return [] }
        let path = patient.layout.path
        let remedy = "make room on this file system: df -h -- " + ShellWord.quoted(path)
        if space.freeBytes < 8 * mebibyte {
            findings.add(
                .critical, path, "only \(space.freeBytes / 1_024) KiB are left where it lies",
                remedy: remedy)
        } else if space.freeBytes < 64 * mebibyte {
            findings.add(
                .warning, path, "only \(space.freeBytes / mebibyte) MiB are left where it lies",
                remedy: remedy)
        }
        if let inodes = space.freeInodes, inodes < 1_000 {
            findings.add(
                inodes < 50 ? .critical : .warning, path,
                "only \(inodes) more files can be made where it lies",
                remedy: "remove files from this file system: df -i -- " + ShellWord.quoted(path))
        }
        return findings.all
    }

    private static let mebibyte: UInt64 = 1 << 20
}
