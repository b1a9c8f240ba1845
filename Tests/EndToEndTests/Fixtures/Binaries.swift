import Glibc

/// Where the programs under test lie.
///
/// This target depends on both, so that they are built beside the tests and, under a sanitizer,
/// with it.
enum Binaries {
    /// The built `purser`.
    static let purser = folder + "/purser"
    /// The built `applesim`.
    static let applesim = folder + "/applesim"
    /// The project's root, for files of the repository that tests read.
    static let root = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined()

    private static let folder: String = {
        var path = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &path, path.count)
        let text = String(decoding: path.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return text.split(separator: "/").dropLast().map { "/\($0)" }.joined()
    }()

    /// Whether programs and tests run under a sanitizer, many times slower.
    static let areSanitized = getenv("PURSER_SANITIZED") != nil

    /// How many rounds the long tests make: 1, or what `PURSER_SOAK` says (`make soak`).
    static let soak = getenv("PURSER_SOAK").flatMap { Int(String(cString: $0)) } ?? 1
}
