import Files
import Glibc
import TestSupport
import Testing

@Suite(.enabled(if: geteuid() == 0, "giving files away needs root"))
struct TrustedWayTests {
    private let folder = TemporaryFolder()

    private func refusal(_ name: String) -> FileError? {
        do throws(FileError) {
            try TrustedWay.check(folder.file(name))
            return nil
        } catch {
            return error
        }
    }

    private func refused(_ name: String, part: String, _ why: String) -> FileError {
        let owner = why.hasPrefix("belongs to ") ? String(why.dropFirst("belongs to ".count)) : nil
        return .untrustedWay(folder.file(name), part: folder.file(part), why: why, owner: owner)
    }

    @Test func `what is root's alone is trusted, and so is what is not there yet`() throws {
        try Folder.makeAll(["a", "b"], below: folder.path)
        symlink("b", folder.file("a/link"))
        symlink("\(folder.path)/a/../a/./b", folder.file("a/far"))
        for name in ["a", "a/b", "a/b/new", "a/link/new", "a//b/./new", "a/far/new", "a/no/no"] {
            #expect(refusal(name) == nil, "\(name)")
        }
    }

    @Test func `a folder of another user is not, wherever it stands in the path`() throws {
        try Folder.makeAll(["a", "b", "c"], below: folder.path)
        chown(folder.file("a"), 65_534, 65_534)
        let name = User(id: 65_534).name
        for path in ["a", "a/new", "a/b/c/new"] {
            #expect(refusal(path) == refused(path, part: "a", "belongs to \(name)"))
        }
    }

    @Test func `a link is not, if it or what it leads through is another user's`() throws {
        try Folder.makeAll(["theirs", "in"], below: folder.path)
        try Folder.makeAll(["ours"], below: folder.path)
        chown(folder.file("theirs"), 65_534, 65_534)
        let name = User(id: 65_534).name
        symlink("ours", folder.file("link"))
        lchown(folder.file("link"), 65_534, 65_534)
        #expect(refusal("link/new") == refused("link/new", part: "link", "belongs to \(name)"))
        symlink("theirs/in", folder.file("way"))
        #expect(refusal("way/new") == refused("way/new", part: "theirs", "belongs to \(name)"))
        symlink(folder.file("theirs/in/../../ours"), folder.file("round"))
        #expect(
            refusal("round/new") == refused("round/new", part: "theirs", "belongs to \(name)"))
    }

    @Test func `a folder that others may write is not, but for one with the sticky bit`() throws {
        try Folder.makeAll(["a", "b"], below: folder.path)
        for (mode, isTrusted) in [
            (0o777, false), (0o757, false), (0o1777, true), (0o755, true), (0o775, true),
        ] as [(mode_t, Bool)] {
            chmod(folder.file("a"), mode)
            #expect(
                refusal("a/b")
                    == (isTrusted
                        ? nil : refused("a/b", part: "a", "can be written by others")))
        }
        chown(folder.file("a"), 0, 65_534)
        chmod(folder.file("a"), 0o770)
        #expect(refusal("a/b") == refused("a/b", part: "a", "can be written by others"))
    }

    @Test func `links that lead in a circle come to an end`() {
        symlink("two", folder.file("one"))
        symlink("one", folder.file("two"))
        #expect(refusal("one/new")?.code == "file.failed")
    }
}
