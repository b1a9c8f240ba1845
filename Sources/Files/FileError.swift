internal import Glibc
package import Problems

/// What went wrong with a file, told by path and in the words of the remedy.
package enum FileError: Explained, Equatable {
    case notFound(_ path: String)
    case folderNotFound(_ path: String)
    /// `owner` is whose it is; nil where its folders do not let us look.
    case notPermitted(_ path: String, user: String, owner: String?)
    case exposed(_ path: String, mode: String)
    case exposedPipe(_ path: String)
    case foreignOwner(_ path: String, owner: String, expected: String)
    case notAFile(_ path: String)
    case notAFolder(_ path: String)
    case silentPipe(_ path: String, seconds: Int)
    /// `owner` is whose `part` is, where it is not root's.
    case untrustedWay(_ path: String, part: String, why: String, owner: String? = nil)
    case tooLarge(_ path: String, limit: Int)
    case exists(_ path: String)
    case full(_ path: String)
    case readOnly(_ path: String)
    /// Another process has held the lock on it (flock(2)) for too long.
    case locked(_ path: String)
    case failed(_ path: String, doing: String, errno: Int32)

    package var code: String {
        switch self {
        case .notFound: "file.not-found"
        case .folderNotFound: "file.folder-not-found"
        case .notPermitted: "file.not-permitted"
        case .exposed: "file.exposed"
        case .exposedPipe: "file.exposed-pipe"
        case .foreignOwner: "file.foreign-owner"
        case .notAFile: "file.not-a-file"
        case .notAFolder: "file.not-a-folder"
        case .silentPipe: "file.silent-pipe"
        case .untrustedWay: "file.untrusted-way"
        case .tooLarge: "file.too-large"
        case .exists: "file.exists"
        case .full: "file.disk-full"
        case .readOnly: "file.read-only"
        case .locked: "file.locked"
        case .failed: "file.failed"
        }
    }

    package var summary: String {
        switch self {
        case .notFound(let path): "there is no file \(shown(path))"
        case .folderNotFound(let path): "there is no folder \(shown(path))"
        case .notPermitted(let path, let user, _): "\(user) may not use \(shown(path))"
        case .exposed(let path, let mode): "\(shown(path)) has mode \(mode): others may use it"
        case .exposedPipe(let path): "others may use the pipe \(shown(path))"
        case .foreignOwner(let path, let owner, let expected):
            "\(shown(path)) belongs to \(owner), not to \(expected)"
        case .notAFile(let path): "\(shown(path)) is not an ordinary file"
        case .notAFolder(let path): "\(shown(path)) is not a folder"
        case .silentPipe(let path, let seconds):
            "the pipe \(shown(path)) has not brought its contents within \(seconds) seconds"
        case .untrustedWay(let path, let part, let why, _):
            "root cannot use \(shown(path, 30)) safely: \(shown(part, 30)) \(why)"
        case .tooLarge(let path, let limit): "\(shown(path)) is larger than \(limit) bytes"
        case .exists(let path): "\(shown(path)) exists already"
        case .full(let path): "no space is left to write \(shown(path))"
        case .readOnly(let path): "\(shown(path)) lies on a read-only file system"
        case .locked(let path): "another process holds the lock on \(shown(path))"
        case .failed(let path, let doing, let errno):
            "\(doing) \(shown(path)) failed: \(unsafe String(cString: strerror(errno)))"
        }
    }

    package var remedy: String {
        switch self {
        case .notFound: "check the path, and give it in full if the working folder differs"
        case .folderNotFound(let path): "make it first: install -d -m 0700 \(quoted(path))"
        case .notPermitted(_, let user, let owner?) where owner != user:
            "run as the user that owns it: sudo -u \(owner) purser …"
        case .notPermitted(let path, _, .some): "check its mode: ls -ld \(quoted(path))"
        case .notPermitted(let path, _, nil):
            "check whose its folders are, and their modes: namei -l \(quoted(path))"
        case .exposed(let path, _): "run: chmod go= \(quoted(path))"
        case .exposedPipe: "give an ordinary file of mode 0600, or <(…) from a shell"
        // Root alone may have put it there, and purser never works in another's home as root.
        case .foreignOwner(let path, "root", let expected):
            "run: chown \(expected) \(quoted(path))"
        case .foreignOwner(let path, _, let expected):
            "run: chown \(expected) \(quoted(path)), or run purser as its owner"
        case .notAFile: "give the path of a file"
        case .notAFolder: "give the path of a folder"
        case .silentPipe: "check the program that writes into it, or give an ordinary file"
        case .untrustedWay(_, _, _, let owner?):
            "run purser as the user whose folder it is: sudo -u \(owner) purser …, or choose another place"
        case .untrustedWay(_, let part, _, nil):
            "run: chmod go-w \(quoted(part)), or choose another place"
        case .tooLarge: "check that this is the file you mean"
        case .exists: "choose another name, or move that file away first"
        case .full: "free some space, then run the command again"
        case .readOnly: "mount it for writing, or choose another place; nothing was changed"
        case .locked(let path): "wait for it or end it; to find it, run: fuser -v \(quoted(path))"
        case .failed: "check the disk and the folder's permissions, then run the command again"
        }
    }

    package var nature: Nature {
        switch self {
        case .notFound, .folderNotFound: .notFound
        case .notPermitted: .denied
        case .exposed, .exposedPipe, .foreignOwner, .notAFolder: .configuration
        case .untrustedWay: .denied
        case .notAFile, .silentPipe, .tooLarge: .badData
        case .locked: .unavailable
        case .exists, .full, .readOnly, .failed: .cannotCreate
        }
    }

    package static var examples: [FileError] {
        let path = "/var/lib/purser/purser.db"
        return [
            .notFound(path), .folderNotFound("/etc/purser"),
            .notPermitted(path, user: "alice", owner: "bob"),
            .notPermitted(path, user: "alice", owner: nil),
            .exposed(path, mode: "0644"), .exposedPipe("/run/purser.pipe"),
            .foreignOwner(path, owner: "bob", expected: "alice"), .notAFile(path),
            .notAFolder(path), .silentPipe("/dev/fd/63", seconds: 10),
            .untrustedWay(
                "/home/bob/purser", part: "/home/bob", why: "belongs to bob", owner: "bob"),
            .untrustedWay("/srv/all/purser", part: "/srv/all", why: "can be written by others"),
            .tooLarge(path, limit: 65_536), .exists(path), .full(path),
            .readOnly(path), .locked("/var/lib/purser/keys.lock"),
            .failed(path, doing: "writing", errno: EIO),
        ]
    }

    /// The error for the current `errno` after `doing` something to `path`.
    static func current(_ path: String, doing: String) -> FileError {
        let number = errno
        return switch number {
        case ENOENT, ENOTDIR: .notFound(path)
        case EACCES, EPERM: inaccessible(path)
        case EEXIST: .exists(path)
        case ENOSPC, EDQUOT: .full(path)
        case EROFS: .readOnly(path)
        // ENXIO is what opening a socket says.
        case EISDIR, ENXIO: .notAFile(path)
        default: .failed(path, doing: doing, errno: number)
        }
    }
}

extension FileError {
    /// What the system refuses to this user; what lies in a folder of ours is to be ours.
    static func inaccessible(_ path: String) -> FileError {
        let user = User.effective
        var found = stat()
        guard unsafe stat(path, &found) == 0 else {
            return .notPermitted(path, user: user.name, owner: nil)
        }
        let owner = User(id: found.st_uid).name
        var folder = stat()
        if found.st_uid != user.id, unsafe stat(DurableFile.split(path).folder, &folder) == 0,
            folder.st_uid == user.id
        {
            return .foreignOwner(path, owner: owner, expected: user.name)
        }
        return .notPermitted(path, user: user.name, owner: owner)
    }
}

/// A path fit for one line of a message.
private func shown(_ path: String, _ most: Int = 60) -> String {
    let clean = String(
        path.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }.map(Character.init))
    return clean.count > most ? "…\(clean.suffix(most - 1))" : clean
}

/// A path fit for pasting into a shell.
private func quoted(_ path: String) -> String {
    let plain = path.utf8.allSatisfy {
        switch $0 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
    return plain
        ? path
        : "'"
            + path.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: "'\\''") + "'"
}
