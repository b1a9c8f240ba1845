import Files

/// Who may use a home, checked at every start.
package enum HomeGuard {
    /// Becomes the home's owner if root asks; refuses anybody else.
    ///
    /// - Throws: ``VaultError/noHome(_:)``, ``VaultError/notOwner(home:owner:user:)``, ``FileError``.
    package static func enter(_ layout: HomeLayout, wayBack: Bool = false) throws {
        let status: FileStatus
        do {
            status = try FileStatus(layout.path)
        } catch .notFound {
            throw VaultError.noHome(layout.path)
        }
        guard status.isFolder else { throw FileError.notAFolder(layout.path) }
        let user = User.effective
        if user.id == status.owner { return }
        guard User.isRoot else {
            throw VaultError.notOwner(
                home: layout.path, owner: User(id: status.owner).name, user: user.name)
        }
        try Privileges.stepDown(
            to: status.owner, group: status.group, home: layout.path, wayBack: wayBack)
    }

    /// Checks that the home and what lies in it is closed to everybody but its owner.
    ///
    /// - Throws: ``VaultError/noHome(_:)`` where no `init` was run, ``FileError`` for the first
    ///   file or folder with a wrong owner or mode.
    package static func check(_ layout: HomeLayout) throws {
        try Folder.checkPrivate(layout.path)
        for folder in [layout.keys, layout.anchors] {
            do {
                try Folder.checkPrivate(folder)
            } catch .notFound {
                throw VaultError.noHome(layout.path)
            }
        }
        for file in [layout.database, layout.master] {
            do {
                try FileStatus(file).checkPrivate()
            } catch .notFound {
                throw file == layout.master
                    ? VaultError.masterMissing(layout.path) : VaultError.noHome(layout.path)
            }
        }
        for file in ["\(layout.database)-wal", "\(layout.database)-shm", layout.settings] {
            do {
                try FileStatus(file).checkPrivate()
            } catch .notFound {
                continue
            }
        }
    }
}
