package import Files

/// Who may use a home, checked at every start.
package enum HomeGuard {
    /// Refuses who neither owns the home nor may become its owner, before anything else is done.
    ///
    /// - Throws: ``VaultError/noHome(_:)``, ``VaultError/notOwner(home:owner:user:)``, ``FileError``.
    @discardableResult
    package static func admit(_ layout: HomeLayout) throws -> FileStatus {
        guard let status = try FileStatus.ifPresent(layout.path) else {
            throw VaultError.noHome(layout.path)
        }
        guard status.isFolder else { throw FileError.notAFolder(layout.path) }
        let user = User.effective
        guard user.id == status.owner || User.isRoot else {
            throw VaultError.notOwner(
                home: layout.path, owner: User(id: status.owner).name, user: user.name)
        }
        return status
    }

    /// Becomes the home's owner if root asks; refuses anybody else.
    ///
    /// `wayBack` is for commands that must still put a file into a folder of root's. A home of
    /// root's own is entered only where nobody else can put another folder in its place.
    ///
    /// - Throws: as ``admit(_:)``; ``FileError/untrustedWay(_:part:why:)``.
    package static func enter(_ layout: HomeLayout, wayBack: Bool = false) throws {
        let status = try admit(layout)
        if User.effective.id == status.owner {
            if User.isRoot { try TrustedWay.check(layout.path) }
            return
        }
        try Privileges.stepDown(
            to: status.owner, group: status.group, home: layout.path, wayBack: wayBack)
    }

    /// Refuses to make a home as root where somebody else could put another folder in its place
    /// while it is being made.
    ///
    /// - Throws: ``FileError/untrustedWay(_:part:why:)``.
    package static func admitFounding(_ layout: HomeLayout) throws {
        if User.isRoot { try TrustedWay.check(layout.path) }
    }

    /// Checks that the home and what lies in it is closed to everybody but its owner.
    ///
    /// - Throws: ``VaultError/noHome(_:)`` where no `init` was run, ``VaultError/masterMissing(_:)``,
    ///   ``FileError`` for the first file or folder with a wrong owner or mode.
    package static func check(_ layout: HomeLayout) throws {
        try Folder.checkPrivate(layout.path)
        for part in [layout.keys, layout.anchors, layout.database] {
            guard let status = try FileStatus.ifPresent(part) else {
                throw try part == layout.database && layout.holdsKeys()
                    ? VaultError.databaseMissing(layout.path) : VaultError.noHome(layout.path)
            }
            try status.checkOurs()
        }
        guard let master = try FileStatus.ifPresent(layout.master) else {
            throw VaultError.masterMissing(layout.path)
        }
        try master.checkOurs()
        for file in ["\(layout.database)-wal", "\(layout.database)-shm"] { try check(file: file) }
        try checkSettings(layout)
    }

    /// Checks the settings' file, where there is one, as ``check(_:)`` does.
    ///
    /// - Throws: ``FileError`` for a wrong owner or mode, or what is no file.
    package static func checkSettings(_ layout: HomeLayout) throws(FileError) {
        try check(file: layout.settings)
    }

    private static func check(file: String) throws(FileError) {
        guard let status = try FileStatus.ifPresent(file) else { return }
        guard status.isFile else { throw .notAFile(file) }
        try status.checkOurs()
    }
}
