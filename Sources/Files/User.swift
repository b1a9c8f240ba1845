internal import CLinux
internal import Glibc

/// A user of the system, by number and name.
package struct User: Sendable, Hashable {
    package let id: UInt32
    /// The login name; the number where there is none.
    package let name: String
    /// The user's own group; nil where the system does not know the user.
    let group: UInt32?

    /// Looks the name up (getpwuid_r(3)).
    package init(id: UInt32) {
        self.id = id
        var record = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 4_096)
        let status = unsafe getpwuid_r(id, &record, &buffer, buffer.count, &found)
        if status == 0, let entry = unsafe found, let text = unsafe entry.pointee.pw_name {
            name = unsafe String(cString: text)
            group = unsafe entry.pointee.pw_gid
        } else {
            name = String(id)
            group = nil
        }
    }

    /// The user as whom this process acts.
    package static var effective: User { User(id: geteuid()) }

    /// Whether this process runs as root.
    package static var isRoot: Bool { geteuid() == 0 }

    /// The user who logged in, whatever `sudo` has changed since (/proc/self/loginuid).
    package static var login: User? {
        guard let text = try? InputFile.read("/proc/self/loginuid", limit: 32),
            let number = UInt32(String(decoding: text, as: UTF8.self).filter(\.isNumber)),
            number != UInt32.max
        else { return nil }
        return User(id: number)
    }
}

/// Root's way down to the owner of a home, so that nothing in the home ever belongs to root.
///
/// Called after the files named by flags were opened and before the home is touched.
package enum Privileges {
    /// Becomes `user` with that user's groups; for a user without any, `group` alone.
    ///
    /// For good, unless `wayBack` is true: then ``asRoot(_:)`` works, for the one command that must
    /// still put its output file into a folder of root's.
    ///
    /// - Throws: ``FileError/failed(_:doing:errno:)`` when the kernel refuses.
    package static func stepDown(
        to user: UInt32, group: UInt32, home: String, wayBack: Bool
    ) throws(FileError) {
        let known = User(id: user)
        // A folder's group may be root's own, which must not be kept.
        let group = known.group ?? group
        guard unsafe initgroups(known.name, group) == 0 || setgroups(0, nil) == 0,
            purser_become(user, group, wayBack ? 0 : user) == 0
        else {
            throw .failed(home, doing: "becoming the owner of", errno: errno)
        }
        // Changing the user resets what `hardenProcess` had set.
        _ = purser_set_not_dumpable()
        guard everyThreadBecomes(user) else {
            throw .failed(home, doing: "becoming, with every thread, the owner of", errno: EPERM)
        }
    }

    /// Whether all threads act as `user` once those that are ending have ended.
    ///
    /// glibc does not tell a thread that is already on its way out, and on a busy machine such a one
    /// is listed a while longer. A thread that stays what it was is none of these.
    private static func everyThreadBecomes(_ user: UInt32) -> Bool {
        let deadline = ContinuousClock.now + .seconds(5)
        while !everyThreadIs(user) {
            guard ContinuousClock.now < deadline else { return false }
            usleep(1_000)
        }
        return true
    }

    /// Whether all threads act as `user`: to Linux a user is a thread's, and glibc tells only those
    /// that it knows of.
    private static func everyThreadIs(_ user: UInt32) -> Bool {
        guard let threads = try? Folder.names(in: "/proc/self/task") else { return false }
        return threads.allSatisfy { thread in
            // A thread that has ended meanwhile has no user.
            guard
                let status = try? InputFile.read("/proc/self/task/\(thread)/status", limit: 1 << 14)
            else { return true }
            let line = String(decoding: status, as: UTF8.self).split(separator: "\n").first {
                $0.hasPrefix("Uid:")
            }
            // Real, effective, saved, file system: the second and the fourth are what counts.
            let ids = line?.split(whereSeparator: \.isWhitespace).dropFirst().map { UInt32($0) }
            return ids?.count == 4 && ids?[1] == user && ids?[3] == user
        }
    }

    /// Runs `body` as root again, if the way back was kept; otherwise as the present user.
    package static func asRoot<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let user = geteuid()
        let raised = user != 0 && seteuid(0) == 0
        defer { if raised { _ = seteuid(user) } }
        return try body()
    }
}
