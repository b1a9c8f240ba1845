import Files
import Vault

/// Every file and folder of the home is its owner's, closed to all others, and no link.
enum PermissionsCheck {
    static let check = Check("permissions") { patient in
        var findings = Findings("permissions")
        let home = patient.layout.path
        do throws(FileError) { try FileStatus(home).checkOurFolder() } catch {
            findings.add(.critical, home, error)
        }
        let tree = HomeTree(patient.layout)
        for (path, error) in tree.unreadable { findings.add(.critical, path, error) }
        for entry in tree.entries {
            guard entry.status.isFile || entry.status.isFolder else {
                findings.add(
                    .critical, entry.path, "this is a link, a pipe or a device, which no home has",
                    remedy: "find out who put it there, and remove it: rm -- "
                        + ShellWord.quoted(entry.path))
                continue
            }
            do throws(FileError) {
                if entry.status.isFolder {
                    try entry.status.checkOurFolder()
                } else {
                    try entry.status.checkOurFile()
                }
            } catch {
                findings.add(.critical, entry.path, error)
            }
        }
        return findings.all
    }
}
