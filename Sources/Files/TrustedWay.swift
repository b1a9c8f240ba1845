internal import CLinux
internal import Glibc

/// The folders and links that a path leads through, which root may trust or not.
///
/// Whoever can rename one of them, or put a link in its place, decides where root's next file goes.
/// So root goes only where nobody else can do that, as sshd(8) does before it trusts a file of keys.
package enum TrustedWay {
    /// As many links as the kernel follows (path_resolution(7)).
    private static let mostLinks = 40

    /// Refuses an absolute path unless all that it leads through, as far as it exists, belongs to
    /// root and can be changed by root alone; in a folder with the sticky bit others may add names
    /// and not touch ours.
    ///
    /// It goes from the top down, and what is found good cannot change behind it, so that there is
    /// no gap between looking and using.
    ///
    /// - Throws: ``FileError/untrustedWay(_:part:why:)``, ``FileError``.
    package static func check(_ path: String) throws(FileError) {
        try walk(path) { (found, part, _) throws(FileError) in
            try check(found, at: part, whole: path)
        }
    }

    /// Refuses an absolute path to a folder of somebody else's that anybody could have put there,
    /// in the hope that root would use it: what it leads through may be others', but nothing in a
    /// folder that everybody can write.
    ///
    /// - Throws: ``FileError/untrustedWay(_:part:why:)``, ``FileError``.
    package static func checkPrepared(_ path: String) throws(FileError) {
        try walk(path) { (found, part, folder) throws(FileError) in
            guard folder.st_mode & 0o002 != 0 else { return }
            guard folder.st_mode & S_ISVTX != 0, found.st_uid == 0 else {
                throw .untrustedWay(path, part: part, why: "could have been put there by anybody")
            }
        }
    }

    /// Hands each part of `path`, as far as it exists, to `visit`, with its name and its folder.
    private static func walk(
        _ path: String, _ visit: (stat, String, stat) throws(FileError) -> Void
    ) throws(FileError) {
        var rest = Array(parts(path).reversed())
        var place = "/"
        var links = 0
        let top = try status(place)
        try visit(top, place, top)
        while let part = rest.popLast() {
            if part == ".." {
                // `place` holds no link any more, so that its text tells its parent.
                place = DurableFile.split(place).folder
                continue
            }
            let next = place == "/" ? "/\(part)" : "\(place)/\(part)"
            let found: stat
            do throws(FileError) {
                found = try status(next)
            } catch {
                if case .notFound = error { return }
                throw error
            }
            try visit(found, next, status(place))
            guard found.st_mode & S_IFMT == S_IFLNK else {
                place = next
                continue
            }
            links += 1
            guard links <= mostLinks else { throw .failed(path, doing: "following", errno: ELOOP) }
            let target = try target(of: next)
            if target.hasPrefix("/") { place = "/" }
            rest += parts(target).reversed()
        }
    }

    private static func check(
        _ found: stat, at part: String, whole path: String
    ) throws(FileError) {
        guard found.st_uid == 0 else {
            let owner = User(id: found.st_uid).name
            throw .untrustedWay(path, part: part, why: "belongs to \(owner)", owner: owner)
        }
        // A link's mode means nothing, and a file leads nowhere.
        guard found.st_mode & S_IFMT == S_IFDIR else { return }
        let isSticky = found.st_mode & S_ISVTX != 0
        let others: mode_t = found.st_gid == 0 ? 0o002 : 0o022
        guard isSticky || found.st_mode & others == 0 else {
            throw .untrustedWay(path, part: part, why: "can be written by others")
        }
    }

    private static func parts(_ path: String) -> [String] {
        path.split(separator: "/").map(String.init).filter { $0 != "." }
    }

    private static func status(_ path: String) throws(FileError) -> stat {
        var found = stat()
        guard unsafe lstat(path, &found) == 0 else { throw .current(path, doing: "looking at") }
        return found
    }

    private static func target(of link: String) throws(FileError) -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(link, &buffer, buffer.count)
        guard count > 0, count < buffer.count else { throw .current(link, doing: "following") }
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
