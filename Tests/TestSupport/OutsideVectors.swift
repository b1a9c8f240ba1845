import FoundationEssentials

/// Public test data that is kept beside the project, never in it: `../shared/vectors`.
///
/// Where that folder is absent, as in a fresh clone, tests that need it are skipped:
/// `@Test(.enabled(if: OutsideVectors.arePresent, "needs ../shared/vectors"))`.
package enum OutsideVectors {
    /// Whether the folder is there.
    package static var arePresent: Bool {
        FileManager.default.fileExists(atPath: folder)
    }

    /// The bytes of a file, such as `apple-roots/AppleRootCA-G3.cer`; empty when it is absent.
    package static func read(_ path: String) -> [UInt8] {
        FileManager.default.contents(atPath: "\(folder)/\(path)").map { Array($0) } ?? []
    }

    /// The names of the files in a folder, sorted.
    package static func names(in path: String) -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(path)")
        return (names ?? []).sorted()
    }

    // This file is Tests/TestSupport/OutsideVectors.swift.
    private static let folder =
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
        .joined(separator: "/") + "/../shared/vectors"
}
