import Files
import Vault

/// Everything that lies in a home, link or file, from the top down.
struct HomeTree {
    struct Entry {
        let path: String
        /// Below the home: `["keys", "merchant.com.example.shop"]`.
        let parts: [String]
        let status: FileStatus
    }

    private(set) var entries: [Entry] = []
    /// Folders that could not be looked into, and why.
    private(set) var unreadable: [(path: String, error: FileError)] = []

    /// Deeper than any home of ours; what lies below is told by its folder.
    private static let depthLimit = 8

    init(_ layout: HomeLayout) {
        walk(layout.path, [])
    }

    private mutating func walk(_ folder: String, _ parts: [String]) {
        guard parts.count < Self.depthLimit else { return }
        let names: [String]
        do throws(FileError) {
            names = try Folder.names(in: folder)
        } catch {
            return unreadable.append((folder, error))
        }
        for name in names {
            let path = "\(folder)/\(name)"
            // What is gone by now was on its way.
            guard let status = try? FileStatus(path) else { continue }
            entries.append(Entry(path: path, parts: parts + [name], status: status))
            if status.isFolder { walk(path, parts + [name]) }
        }
    }
}
