import TestSupport

/// A folder as it lies on the disk, for comparing before and after.
enum Tree {
    /// Every file with its mode, owner and contents' hash, and every folder; one line each.
    ///
    /// Left out are empty locks, and SQLite's shared memory and log where the log is empty: whoever
    /// only reads may make them.
    static func state(of path: String) async throws -> [String] {
        let script = """
            cd "$1" && find . -printf '%y %m %U:%G %p\\n' | sort
            find . -type f -exec sha256sum {} + | sort
            """
        let text = try await tool("sh", ["-c", script, "sh", path]).text
        return text.split(separator: "\n").map(String.init).filter {
            !$0.hasSuffix("/keys/.lock") && !$0.hasSuffix("-shm") && !$0.hasSuffix("-wal")
        }
    }

    /// What is in `path` (files and folders) for which `find` finds the test true; one path a line.
    static func matches(_ path: String, _ test: String...) async throws -> [String] {
        try await tool("find", [path] + test).text.split(separator: "\n").map(String.init)
    }

    /// The paths of the files below `path` that hold these bytes.
    static func files(below path: String, holding needle: [UInt8]) async throws -> [String] {
        try await matches(path, "-type", "f").filter { file in
            let bytes = try ForeignProcess.run("cat", [file]).output
            return contains(bytes, needle)
        }
    }

    /// Whether `bytes` hold `needle`.
    static func contains(_ bytes: [UInt8], _ needle: [UInt8]) -> Bool {
        guard let first = needle.first, bytes.count >= needle.count else { return false }
        return bytes.indices.dropLast(needle.count - 1).contains { start in
            bytes[start] == first && bytes[start...].starts(with: needle)
        }
    }
}
